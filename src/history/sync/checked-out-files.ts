import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { durableFs, replaceFile } from '../../storage/durable-fs.ts'
import { fsErrorCode, orNullWhenAbsent } from '../../storage/fs-error.ts'
import type { FsPromises } from '../../storage/fs-promises.ts'
import type { ObjectFormat } from '../../git/object-format.ts'
import { blobName } from '../../git/objects/raw-object.ts'

/**
 * The content of a path in the work tree. A path that leads through a symbolic link counts as
 * absent.
 */
export type FoundFile =
  | { readonly kind: 'absent' }
  /** A folder, a link, or a file that is too large to be compared. */
  | { readonly kind: 'other' }
  | {
      readonly kind: 'file'
      readonly oid: string
      readonly isExecutable: boolean
      readonly stats: BigIntStats
    }

/** A file in a tree. */
export interface FileVersion {
  readonly oid: string
  readonly isExecutable: boolean
}

/** The size limit of the files beside the document; a larger one is neither compared nor written. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024

const OWNER_EXECUTES = 0o100
const READERS = 0o444
const EXECUTE_BITS = 0o111
const PERMISSIONS = 0o7777
const PLAIN = 0o644
const RUNNABLE = 0o755
const NOT_EMPTY = ['ENOTEMPTY', 'EEXIST', 'ENOENT']

interface WorkTreeFiles {
  readonly fs: FsPromises
  /** The folder of the work tree. */
  readonly workTree: string
  /** How its repository names the content of files. */
  readonly format: ObjectFormat
}

/** The files of a work tree beside the document, reached through real folders of it alone. */
export class CheckedOutFiles {
  readonly #fs: FsPromises
  readonly #workTree: string
  readonly #format: ObjectFormat

  constructor({ fs, workTree, format }: WorkTreeFiles) {
    this.#fs = fs
    this.#workTree = workTree
    this.#format = format
  }

  async look(path: string): Promise<FoundFile> {
    if (!(await this.#isInFolders(path))) return { kind: 'absent' }
    const file = join(this.#workTree, path)
    const stats = await orNullWhenAbsent(this.#fs.lstat(file, { bigint: true }))
    if (stats === null) return { kind: 'absent' }
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return { kind: 'other' }
    const content = await orNullWhenAbsent(this.#fs.readFile(file))
    const after = await orNullWhenAbsent(this.#fs.lstat(file, { bigint: true }))
    if (content === null || after?.ctimeNs !== stats.ctimeNs || after.ino !== stats.ino) {
      return { kind: 'other' }
    }
    const isExecutable = (stats.mode & BigInt(OWNER_EXECUTES)) !== 0n
    return { kind: 'file', oid: blobName(content, this.#format), isExecutable, stats }
  }

  /** Writes a file if its path still holds `seen`. Otherwise writes nothing and returns false. */
  async write(
    path: string,
    content: Uint8Array,
    { seen, isExecutable }: { seen: FileVersion | null; isExecutable: boolean },
  ): Promise<boolean> {
    if (!(await this.#makeFolders(path))) return false
    let isWritten = false
    await replaceFile(join(this.#workTree, path), content, {
      fs: this.#fs,
      mode: isExecutable ? RUNNABLE : PLAIN,
      mayReplace: async () => (isWritten = isVersion(await this.look(path), seen)),
    })
    return isWritten
  }

  /** Sets or clears the executable bits for everyone who can read the file. Other bits stay. */
  async setExecutable(path: string, isExecutable: boolean): Promise<void> {
    if (!(await this.#isInFolders(path))) return
    const file = join(this.#workTree, path)
    const stats = await orNullWhenAbsent(this.#fs.lstat(file))
    if (!stats?.isFile() || ((stats.mode & OWNER_EXECUTES) !== 0) === isExecutable) return
    const bits = stats.mode & PERMISSIONS
    const runners = (bits & READERS) >> 2
    await this.#fs.chmod(file, isExecutable ? bits | runners : bits & ~EXECUTE_BITS)
  }

  /** Removes a file that was just seen, and the folders that become empty. */
  async remove(path: string): Promise<void> {
    await orNullWhenAbsent(this.#fs.unlink(join(this.#workTree, path)))
    for (const folder of foldersAbove(path).toReversed()) {
      if (!(await this.#removedEmpty(join(this.#workTree, folder)))) return
    }
  }

  async #removedEmpty(folder: string): Promise<boolean> {
    try {
      await this.#fs.rmdir(folder)
      return true
    } catch (error) {
      if (NOT_EMPTY.includes(fsErrorCode(error) ?? '')) return false
      throw error
    }
  }

  async #isInFolders(path: string): Promise<boolean> {
    for (const folder of foldersAbove(path)) {
      const stats = await orNullWhenAbsent(this.#fs.lstat(join(this.#workTree, folder)))
      if (!stats?.isDirectory()) return false
    }
    return true
  }

  async #makeFolders(path: string): Promise<boolean> {
    const { promises } = durableFs(this.#fs)
    for (const folder of foldersAbove(path)) {
      const stats = await orNullWhenAbsent(this.#fs.lstat(join(this.#workTree, folder)))
      if (stats === null) await promises.mkdir(join(this.#workTree, folder))
      else if (!stats.isDirectory()) return false
    }
    return true
  }
}

/** Whether a path holds exactly this version; null stands for no file. */
export function isVersion(found: FoundFile, version: FileVersion | null): boolean {
  if (version === null) return found.kind === 'absent'
  return (
    found.kind === 'file' &&
    found.oid === version.oid &&
    found.isExecutable === version.isExecutable
  )
}

/** The folders above a path, outermost first. */
export function foldersAbove(path: string): readonly string[] {
  const folders: string[] = []
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
    folders.push(path.slice(0, at))
  return folders
}
