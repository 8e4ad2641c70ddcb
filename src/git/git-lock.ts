import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ServiceError, unavailable } from '../core/errors.ts'
import { draftName, isDraftName } from '../storage/file-draft.ts'
import type { FsHandle, FsPromises } from '../storage/fs-promises.ts'
import { fsErrorCode, orNullWhenAbsent } from '../storage/fs-error.ts'
import { syncFolder } from '../storage/sync-folder.ts'

export interface GitLockOptions {
  readonly fs: FsPromises
  /** The file to lock; its folder has to exist. */
  readonly file: string
  /** Milliseconds to wait for a git command that holds the lock. */
  readonly timeoutMs: number
}

const FIRST_PAUSE_MS = 5
const MAX_PAUSE_MS = 200

/**
 * Git's own lock on a ref or the index: `<file>.lock`, created exclusively, which is renamed to the
 * file when the change is complete.
 *
 * We create it as a hard link of a draft. After a crash a lock that is the same file as a draft is
 * therefore certainly ours.
 */
export class GitLock implements AsyncDisposable {
  readonly #fs: FsPromises
  readonly #file: string
  readonly #draft: string
  readonly #handle: FsHandle
  #held = true
  #open = true

  private constructor(options: GitLockOptions, draft: string, handle: FsHandle) {
    this.#fs = options.fs
    this.#file = options.file
    this.#draft = draft
    this.#handle = handle
  }

  /** @throws {ServiceError} `unavailable` when another process does not release the lock in time. */
  static async open(options: GitLockOptions): Promise<GitLock> {
    const { fs, file } = options
    const draft = join(dirname(file), draftName())
    const handle = await fs.open(draft, 'wx', 0o666)
    try {
      await linkWhenFree(options, draft)
    } catch (error) {
      await Promise.allSettled([handle.close(), fs.rm(draft, { force: true })])
      throw error
    }
    return new GitLock(options, draft, handle)
  }

  /** Writes the bytes of the next file. Unless they are synced, a power cut may leave half of them. */
  async prepare(bytes: string | Uint8Array, { isSynced = true } = {}): Promise<void> {
    await this.#handle.writeFile(bytes)
    if (isSynced) await this.#handle.sync()
    await this.#close()
  }

  /**
   * Replaces the file by the prepared bytes and releases the lock. That survives a power cut once
   * {@link syncName} has returned.
   */
  async place(): Promise<void> {
    await this.#fs.rename(`${this.#file}.lock`, this.#file)
    this.#held = false
    await orNullWhenAbsent(this.#fs.unlink(this.#draft))
  }

  syncName(): Promise<void> {
    return syncFolder(this.#fs, dirname(this.#file))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#close()
    } finally {
      await this.#release()
    }
  }

  async #release(): Promise<void> {
    if (!this.#held) return
    this.#held = false
    await this.#fs.rm(`${this.#file}.lock`, { force: true })
    await this.#fs.rm(this.#draft, { force: true })
  }

  async #close(): Promise<void> {
    if (!this.#open) return
    this.#open = false
    await this.#handle.close()
  }
}

/**
 * Removes a lock of this service that a crash left, and the drafts beside it.
 * Only for the process that holds the repository.
 */
export async function removeStaleLock(fs: FsPromises, file: string): Promise<void> {
  const folder = dirname(file)
  const names = (await orNullWhenAbsent(fs.readdir(folder))) ?? []
  const drafts = names.filter(isDraftName).map((name) => join(folder, name))
  const lock = await identityOf(fs, `${file}.lock`)
  const identities = await Promise.all(drafts.map((draft) => identityOf(fs, draft)))
  if (lock !== null && identities.includes(lock)) await fs.rm(`${file}.lock`, { force: true })
  await Promise.all(drafts.map((draft) => fs.rm(draft, { force: true })))
}

async function identityOf(fs: FsPromises, file: string): Promise<string | null> {
  const stats = await orNullWhenAbsent(fs.lstat(file, { bigint: true }))
  return stats === null ? null : `${stats.dev}:${stats.ino}`
}

async function linkWhenFree({ fs, file, timeoutMs }: GitLockOptions, draft: string): Promise<void> {
  let pause = FIRST_PAUSE_MS
  for (let left = timeoutMs; ; left -= pause) {
    if (await linked(fs, { draft, lock: `${file}.lock` })) return
    if (left <= 0) throw heldError(file)
    pause = Math.min(pause * 2, MAX_PAUSE_MS, Math.max(left, 1))
    await delay(pause)
  }
}

async function linked(
  fs: FsPromises,
  { draft, lock }: { draft: string; lock: string },
): Promise<boolean> {
  try {
    await fs.link(draft, lock)
    return true
  } catch (error) {
    if (fsErrorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Names the lock within its repository, because the reason is shown to callers. */
function heldError(file: string): ServiceError<'unavailable'> {
  const [, name = basename(file)] = /\/(\.git\/.*)$/s.exec(file) ?? []
  return unavailable(`A git command holds ${name}.lock`)
}
