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
  /** What the ref has to be for the update to happen; null: not there. */
  readonly expected: CommitSha | null
  readonly next: CommitSha
  /** What `git reflog` says about it. */
  readonly who: Signature
  readonly reason: string
}

export type RefUpdateResult =
  | { readonly state: 'updated' }
  /** Another writer was there first; nothing was changed. */
  | { readonly state: 'moved'; readonly current: CommitSha | null }

const PATIENCE = 3000
const NO_COMMIT = '0'.repeat(40)

interface Patience {
  /** How long a git command may keep the ref, in milliseconds. */
  readonly patience?: number
}

/**
 * Moves a ref from one commit to another while no git command can. Once this says `updated`
 * the move survives a power cut.
 *
 * @throws {ServiceError} `unavailable` when a git command keeps the ref, or the ref is damaged.
 */
export async function updateRef(
  store: GitStore,
  update: RefUpdate,
  patience: Patience = {},
): Promise<RefUpdateResult> {
  await using move = await RefMove.open(store, update, patience)
  if (move.current !== update.expected) return { state: 'moved', current: move.current }
  await move.finish()
  return { state: 'updated' }
}

/**
 * The move of a ref that no git command can come before any more. All that can be done
 * beforehand is done, so that it may be prepared while the objects are still being written.
 */
export class RefMove implements AsyncDisposable {
  /** What the ref is, as long as the move is open. */
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
    { patience = PATIENCE }: Patience = {},
  ): Promise<RefMove> {
    const file = join(store.gitDir, update.ref)
    const lock = await inVanishingFolder(
      () => GitLock.open({ fs: store.fs, file, patience }),
      () => durableFs(store.fs).promises.mkdir(dirname(file), { recursive: true }),
    )
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

/** Removes what a crash of ours left beside a ref. Only for the process that holds the repository. */
export function removeStaleRefLock({ fs, gitDir }: GitStore, ref: string): Promise<void> {
  return removeStaleLock(fs, join(gitDir, ref))
}

/** As git does, the log of HEAD follows the branch that is checked out. */
async function appendReflogs(store: GitStore, update: RefUpdate): Promise<void> {
  const branch = await readBranch(store)
  const logs = branch === update.ref ? [update.ref, 'HEAD'] : [update.ref]
  const line = renderReflogLine(update)
  await Promise.all(logs.map((log) => appendLine(store, join(store.gitDir, 'logs', log), line)))
}

function renderReflogLine({ expected, next, who, reason }: RefUpdate): string {
  const oneLine = reason.replaceAll(/\s+/g, ' ').trim()
  return `${expected ?? NO_COMMIT} ${next} ${renderSignature(who)}\t${oneLine}\n`
}

/** A reflog is a convenience: a line of it may be lost with the power. */
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
