import type { BigIntStats } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FsHandle, FsPromises } from './fs-promises.ts'
import { giveFile, type Owner, ownerToKeep } from './ownership.ts'
import { syncFolder } from './sync-folder.ts'
import { randomBytes } from 'node:crypto'

const DRAFT = /^\.draft-[0-9a-f]{16}$/

/** A unique name for an unfinished file. */
export function draftName(): string {
  return `.draft-${randomBytes(8).toString('hex')}`
}

export function isDraftName(name: string): boolean {
  return DRAFT.test(name)
}

export interface DraftOptions {
  readonly fs: FsPromises
  /** Permission bits; null for those of a new file. */
  readonly mode: number | null
}

const NEW_FILE = 0o666
const PERMISSIONS = 0o7777n

/** The new bytes of a file: durable beside the file, and not yet in its place. */
export class FileDraft implements AsyncDisposable {
  readonly file: string
  /** The metadata of the bytes. Their name and change time change when they are placed. */
  readonly stats: BigIntStats
  readonly #path: string
  readonly #fs: FsPromises
  #isPlaced = false

  private constructor(fs: FsPromises, names: { file: string; path: string }, stats: BigIntStats) {
    this.file = names.file
    this.stats = stats
    this.#path = names.path
    this.#fs = fs
  }

  /** The folder of the file has to exist. */
  static async write(
    file: string,
    bytes: string | Uint8Array,
    { fs, mode }: DraftOptions,
  ): Promise<FileDraft> {
    const path = join(dirname(file), draftName())
    try {
      const owner = await ownerToKeep(fs, file)
      const stats = await writeSynced({ fs, mode }, { file, path, owner }, bytes)
      return new FileDraft(fs, { file, path }, stats)
    } catch (error) {
      await Promise.allSettled([fs.rm(path, { force: true })])
      throw error
    }
  }

  /**
   * Moves the bytes to the place of the file. That survives a power cut once the folder is synced.
   */
  async place(): Promise<void> {
    await this.#fs.rename(this.#path, this.file)
    this.#isPlaced = true
  }

  /** Makes the new name survive a power cut. */
  syncName(): Promise<void> {
    return syncFolder(this.#fs, dirname(this.file))
  }

  /** A draft that cannot be removed now is removed at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isPlaced) await Promise.allSettled([this.#fs.rm(this.#path, { force: true })])
  }
}

async function writeSynced(
  { fs, mode }: DraftOptions,
  { file, path, owner }: { file: string; path: string; owner: Owner | null },
  bytes: string | Uint8Array,
): Promise<BigIntStats> {
  const handle = await fs.open(path, 'wx', mode ?? NEW_FILE)
  try {
    await handle.writeFile(bytes)
    const stats = await fs.lstat(path, { bigint: true })
    if (owner !== null) await giveFile(handle, { file, ...changeOf(stats, owner, mode) })
    await giveMode(handle, stats, mode)
    await handle.sync()
    return stats
  } finally {
    await handle.close()
  }
}

function changeOf({ uid, gid, mode: made }: BigIntStats, next: Owner, mode: number | null) {
  const now = { uid: Number(uid), gid: Number(gid) }
  return { now, next, mode: mode ?? Number(made & PERMISSIONS) }
}

/** The umask of the process may have cleared some bits. */
async function giveMode(handle: FsHandle, stats: BigIntStats, mode: number | null): Promise<void> {
  if (mode !== null && (stats.mode & PERMISSIONS) !== BigInt(mode)) await handle.chmod(mode)
}
