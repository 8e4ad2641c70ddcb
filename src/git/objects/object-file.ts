import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { fsErrorCode, orNullWhenAbsent } from '../../storage/fs-error.ts'
import type { FsPromises } from '../../storage/fs-promises.ts'
import type { GitStore } from '../git-store.ts'
import { inVanishingFolder } from '../vanishing-folder.ts'

/** A file among git's objects: one object, or a pack, or the index of a pack. */
export interface ObjectFile {
  readonly kind: 'obj' | 'pack' | 'idx'
  readonly folder: string
  readonly name: string
  readonly bytes: Uint8Array
}

/** The suffix length of git's own temporary files. */
const OWN_DRAFT = /^tmp_(?:obj|pack|idx)_[0-9a-f]{12}$/
const READ_ONLY = 0o444

/** The drafts that this process has not placed yet. */
const inTheMaking = new Set<string>()

/** The bytes of such a file, on disk under a temporary name that `git prune` removes as its own. */
export class ObjectDraft implements AsyncDisposable {
  readonly #fs: FsPromises
  readonly #file: ObjectFile
  readonly #path: string
  #madeFolder = false
  #isPlaced = false

  private constructor(fs: FsPromises, file: ObjectFile, path: string) {
    this.#fs = fs
    this.#file = file
    this.#path = path
  }

  static async write(fs: FsPromises, file: ObjectFile): Promise<ObjectDraft> {
    const path = join(file.folder, `tmp_${file.kind}_${randomBytes(6).toString('hex')}`)
    const draft = new ObjectDraft(fs, file, path)
    inTheMaking.add(path)
    try {
      await draft.#write()
    } catch (error) {
      inTheMaking.delete(path)
      throw error
    }
    return draft
  }

  /** Gives the file its name, replacing another one. Returns the folders that got new names. */
  async place(): Promise<readonly string[]> {
    const { folder, name } = this.#file
    // `git prune --expire=now` removes the temporary files of others, too.
    await inVanishingFolder(
      () => this.#fs.rename(this.#path, join(folder, name)),
      () => this.#write(),
    )
    this.#isPlaced = true
    return this.#madeFolder ? [folder, dirname(folder)] : [folder]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isPlaced) await Promise.allSettled([this.#fs.rm(this.#path, { force: true })])
    inTheMaking.delete(this.#path)
  }

  #write(): Promise<void> {
    const { folder, bytes } = this.#file
    return inVanishingFolder(
      () => writeSynced(this.#fs, this.#path, bytes),
      async () => (this.#madeFolder = (await makeFolder(this.#fs, folder)) || this.#madeFolder),
    )
  }
}

/** Removes drafts of a crash of this service. Only for the process that holds the repository. */
export async function removeObjectDrafts({ fs, gitDir }: GitStore): Promise<void> {
  const objects = join(gitDir, 'objects')
  const folders = (await orNullWhenAbsent(fs.readdir(objects))) ?? []
  for (const folder of folders.filter((name) => /^(?:[0-9a-f]{2}|pack)$/.test(name))) {
    const names = (await orNullWhenAbsent(fs.readdir(join(objects, folder)))) ?? []
    const drafts = names
      .filter((name) => OWN_DRAFT.test(name))
      .map((name) => join(objects, folder, name))
    const leftovers = drafts.filter((path) => !inTheMaking.has(path))
    await Promise.all(leftovers.map((path) => fs.rm(path, { force: true })))
  }
}

async function writeSynced(fs: FsPromises, path: string, bytes: Uint8Array): Promise<void> {
  const handle = await fs.open(path, 'wx', READ_ONLY)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } catch (error) {
    await Promise.allSettled([fs.rm(path, { force: true })])
    throw error
  } finally {
    await handle.close()
  }
}

async function makeFolder(fs: FsPromises, folder: string): Promise<boolean> {
  try {
    await fs.mkdir(folder)
    return true
  } catch (error) {
    if (fsErrorCode(error) === 'EEXIST') return false
    throw error
  }
}
