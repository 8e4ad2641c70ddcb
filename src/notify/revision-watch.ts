import { commitNotFound } from '../configuration/read/config-reading.ts'
import type { FollowedRevisions } from '../configuration/search/followed-revisions.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import type { History } from '../history/history.ts'
import { Emitter } from '../lib/emitter.ts'

export interface RevisionWatchDeps {
  readonly history: History
}

/** The revisions since a commit. */
export interface Newer {
  /** Oldest first. */
  readonly revisions: readonly Revision[]
  /** Whether the commit is no longer a revision of the history: after an amend or a reset. */
  readonly isRewritten: boolean
}

/** The time after which revisions are looked at again that were not indexed. */
export const INDEX_PAUSE_MS = 500

interface WatchRequest {
  readonly followed: FollowedRevisions
  readonly held: number
  readonly signal: AbortSignal
}

/**
 * Lets callers wait for revisions. All share one listener. Each then reads the new revisions from
 * the history, so none is missed.
 */
export class RevisionWatch implements Disposable {
  readonly #deps: RevisionWatchDeps
  readonly #changed = new Emitter()
  readonly #unlisten: () => void
  /** Counts wake-ups, so that a revision during a read is not overlooked. */
  #version = 0
  #isClosed = false

  constructor(deps: RevisionWatchDeps) {
    this.#deps = deps
    this.#unlisten = deps.history.onRevision(() => this.#wake())
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  current(): Revision {
    return this.#deps.history.current()
  }

  /** The revisions since a commit, without waiting. */
  async newer(since: CommitSha): Promise<Newer> {
    const { history } = this.#deps
    const found = await history.listNewer(since)
    const isRewritten = history.findCommit(since) === null
    return { revisions: found ?? [history.current()], isRewritten }
  }

  /**
   * The revisions newer than one of them, oldest first. Waits up to `held` milliseconds for the
   * first one that the caller follows. A revision may revoke the caller's permission, so it is checked again after
   * each wait.
   *
   * @throws {ServiceError} `not-permitted`; `revision-not-found` when it is none, or is removed
   * from the history.
   */
  async wait(
    since: CommitSha,
    { followed, held, signal }: WatchRequest,
  ): Promise<readonly Revision[]> {
    const end = performance.now() + held
    for (;;) {
      const turn = this.#version
      const { revisions, isRewritten } = await this.newer(since)
      const picked = await followed.pick(isRewritten ? [] : revisions)
      if (isRewritten) throw commitNotFound(this.#deps.history, since)
      const left = end - performance.now()
      const isOver = left <= 0 || signal.aborted || this.#isClosed
      if (picked.revisions.length > 0 || isOver) return picked.revisions
      const pause = picked.isWhole ? left : Math.min(left, INDEX_PAUSE_MS)
      if (turn === this.#version) await this.#next(pause, signal)
    }
  }

  /**
   * Calls the listener when there may be new revisions, and when the service stops. Returns a
   * function that unsubscribes it.
   */
  listen(listener: () => void): () => void {
    return this.#changed.on(listener)
  }

  /** Ends all waits. */
  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#unlisten()
    this.#wake()
  }

  #next(within: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        unlisten()
        signal.removeEventListener('abort', wake)
        resolve()
      }
      const timer = setTimeout(wake, within)
      const unlisten = this.listen(wake)
      signal.addEventListener('abort', wake)
    })
  }

  #wake(): void {
    this.#version += 1
    this.#changed.emit()
  }
}
