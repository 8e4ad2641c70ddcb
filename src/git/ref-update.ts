import { dirname, join } from 'node:path'
import type { CommitSha } from '../core/revision.ts'
import { lastOf, type NonEmptyArray } from '../lib/non-empty-array.ts'
import { durableFs } from '../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import { GitLock, removeStaleLock } from './git-lock.ts'
import type { GitStore } from './git-store.ts'
import { type Signature, renderSignature } from './signature.ts'
import { readBranch, readRef } from './refs.ts'
import { inVanishingFolder } from './vanishing-folder.ts'

interface ExpectedRef {
  /** The full name, such as `refs/heads/main`. */
  readonly ref: string
  /** The expected commit of the ref; null when the ref must not exist. */
  readonly expected: CommitSha | null
}

/** A commit that a ref goes to, with the line of `git reflog` about it. */
export interface RefStep {
  readonly next: CommitSha
  readonly who: Signature
  readonly reason: string
}

export interface RefUpdate extends ExpectedRef, RefStep {}

/** Steps that a ref takes as one move, oldest first: git sees the last one. */
export interface RefRun extends ExpectedRef {
  readonly steps: NonEmptyArray<RefStep>
}

export type RefUpdateResult =
  | { readonly state: 'updated' }
  /** Another writer was faster; nothing was changed. */
  | { readonly state: 'moved'; readonly current: CommitSha | null }

const LOCK_TIMEOUT_MS = 3000

interface LockOptions {
  /** The time to wait for a git command that holds the ref, in milliseconds. */
  readonly timeoutMs?: number
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
  const { ref, expected } = update
  await using move = await RefMove.open(store, { ref, expected, steps: [update] }, options)
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
  readonly #run: RefRun
  readonly #lock: GitLock

  private constructor(
    { store, run }: { store: GitStore; run: RefRun },
    lock: GitLock,
    current: CommitSha | null,
  ) {
    this.current = current
    this.#store = store
    this.#run = run
    this.#lock = lock
  }

  /** @throws {ServiceError} `unavailable` when a git command keeps the ref, or the ref is damaged. */
  static async open(
    store: GitStore,
    run: RefRun,
    { timeoutMs = LOCK_TIMEOUT_MS, held = null }: LockOptions = {},
  ): Promise<RefMove> {
    const lock = held ?? (await lockRef(store, run.ref, timeoutMs))
    try {
      const current = await readRef(store, run.ref)
      if (current === run.expected) await lock.prepare(`${lastOf(run.steps).next}\n`)
      return new RefMove({ store, run }, lock, current)
    } catch (error) {
      await lock[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Moves the ref, which is where it was expected; the move is on disk once this returns. */
  async finish(): Promise<void> {
    await appendReflogs(this.#store, this.#run)
    await this.#lock.place()
    await this.#lock.syncName()
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
export function lockRef(
  store: GitStore,
  ref: string,
  timeoutMs = LOCK_TIMEOUT_MS,
): Promise<GitLock> {
  const file = join(store.gitDir, ref)
  return inVanishingFolder(
    () => GitLock.open({ fs: store.fs, file, timeoutMs }),
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
async function appendReflogs(store: GitStore, { ref, expected, steps }: RefRun): Promise<void> {
  const branch = await readBranch(store)
  const logs = branch === ref ? [ref, 'HEAD'] : [ref]
  const none = '0'.repeat(steps[0].next.length)
  const before = [expected ?? none, ...steps.map(({ next }) => next)]
  const lines = steps.map((step, n) => `${before[n]} ${renderReflogStep(step)}`).join('')
  await Promise.all(logs.map((log) => appendLines(store, join(store.gitDir, 'logs', log), lines)))
}

function renderReflogStep({ next, who, reason }: RefStep): string {
  return `${next} ${renderSignature(who)}\t${reason.replaceAll(/\s+/g, ' ').trim()}\n`
}

/** A reflog is a convenience: a power cut may lose lines. */
async function appendLines({ fs }: GitStore, file: string, lines: string): Promise<void> {
  const opened = await orNullWhenAbsent(fs.open(file, 'a'))
  if (opened === null) await fs.mkdir(dirname(file), { recursive: true })
  const handle = opened ?? (await fs.open(file, 'a'))
  try {
    await handle.writeFile(lines)
  } finally {
    await handle.close()
  }
}
