import { dirname, join } from 'node:path'
import type { CommitSha } from '../core/revision.ts'
import { durableFs } from '../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import { GitLock, removeStaleLock } from './git-lock.ts'
import type { GitStore } from './git-store.ts'
import { type Signature, renderSignature } from './signature.ts'
import { readBranch, readRef } from './refs.ts'
import { inVanishingFolder } from './vanishing-folder.ts'

export interface RefUpdate {
  /** The full name, such as `refs/heads/main`. */
  readonly ref: string
  /** The expected commit of the ref; null when the ref must not exist. */
  readonly expected: CommitSha | null
  readonly next: CommitSha
  /** The message for `git reflog`. */
  readonly who: Signature
  readonly reason: string
}

export type RefUpdateResult =
  | { readonly state: 'updated' }
  /** Another writer was faster; nothing was changed. */
  | { readonly state: 'moved'; readonly current: CommitSha | null }

const PATIENCE = 3000

interface LockOptions {
  /** How long to wait for a git command that holds the ref, in milliseconds. */
  readonly patience?: number
  /** The lock of the ref where this process holds it already; the move releases it. */
  readonly held?: GitLock | null
}

/**
 * Moves a ref from one commit to another under git's lock. After `updated` the move survives a
 * power cut.
 *
 * @throws {ServiceError} `unavailable` when a git command holds the ref, or the ref is damaged.
 */
export async function updateRef(
  store: GitStore,
  update: RefUpdate,
  options: LockOptions = {},
): Promise<RefUpdateResult> {
  await using move = await RefMove.open(store, update, options)
  if (move.current !== update.expected) return { state: 'moved', current: move.current }
  await move.finish()
  return { state: 'updated' }
}

/**
 * The move of a ref under git's lock, prepared as far as possible while the objects are still being
 * written.
 */
export class RefMove implements AsyncDisposable {
  /** The current commit of the ref, as long as the move is open. */
  readonly current: CommitSha | null
  readonly #store: GitStore
  readonly #update: RefUpdate
  readonly #lock: GitLock

  private constructor(
    { store, update }: { store: GitStore; update: RefUpdate },
    lock: GitLock,
    current: CommitSha | null,
  ) {
    this.current = current
    this.#store = store
    this.#update = update
    this.#lock = lock
  }

  /** @throws {ServiceError} `unavailable` when a git command keeps the ref, or the ref is damaged. */
  static async open(
    store: GitStore,
    update: RefUpdate,
    { patience = PATIENCE, held = null }: LockOptions = {},
  ): Promise<RefMove> {
    const lock = held ?? (await lockRef(store, update.ref, patience))
    try {
      const current = await readRef(store, update.ref)
      if (current === update.expected) await lock.prepare(`${update.next}\n`)
      return new RefMove({ store, update }, lock, current)
    } catch (error) {
      await lock[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Moves the ref, which is where it was expected; the move is on disk once this returns. */
  async finish(): Promise<void> {
    await appendReflogs(this.#store, this.#update)
    await this.#lock.place()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#lock[Symbol.asyncDispose]()
  }
}

/**
 * Takes git's lock of a ref, so that no git command moves it.
 *
 * @throws {ServiceError} `unavailable` when a git command keeps it.
 */
export function lockRef(store: GitStore, ref: string, patience = PATIENCE): Promise<GitLock> {
  const file = join(store.gitDir, ref)
  return inVanishingFolder(
    () => GitLock.open({ fs: store.fs, file, patience }),
    () => durableFs(store.fs).promises.mkdir(dirname(file), { recursive: true }),
  )
}

/**
 * Removes leftovers of a crash of this service beside a ref. Only for the process that holds the
 * repository.
 */
export function removeStaleRefLock({ fs, gitDir }: GitStore, ref: string): Promise<void> {
  return removeStaleLock(fs, join(gitDir, ref))
}

/** As in git, the reflog of HEAD records moves of the checked-out branch. */
async function appendReflogs(store: GitStore, update: RefUpdate): Promise<void> {
  const branch = await readBranch(store)
  const logs = branch === update.ref ? [update.ref, 'HEAD'] : [update.ref]
  const line = renderReflogLine(update)
  await Promise.all(logs.map((log) => appendLine(store, join(store.gitDir, 'logs', log), line)))
}

function renderReflogLine({ expected, next, who, reason }: RefUpdate): string {
  const oneLine = reason.replaceAll(/\s+/g, ' ').trim()
  return `${expected ?? '0'.repeat(next.length)} ${next} ${renderSignature(who)}\t${oneLine}\n`
}

/** A reflog is a convenience: a power cut may lose a line. */
async function appendLine({ fs }: GitStore, file: string, line: string): Promise<void> {
  const opened = await orNullWhenAbsent(fs.open(file, 'a'))
  if (opened === null) await fs.mkdir(dirname(file), { recursive: true })
  const handle = opened ?? (await fs.open(file, 'a'))
  try {
    await handle.writeFile(line)
  } finally {
    await handle.close()
  }
}
