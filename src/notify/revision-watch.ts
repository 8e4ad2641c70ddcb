import { commitNotFound } from '../configuration/read/config-reading.ts'
import type { Principal } from '../core/principal.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import type { History } from '../history/history.ts'
import { Emitter } from '../lib/emitter.ts'
import { type Access, assertMay } from '../configuration/access/permission.ts'

export interface RevisionWatchDeps {
  readonly history: History
  readonly access: Access
}

/** The revisions since a commit. */
export interface Newer {
  /** Oldest first. */
  readonly revisions: readonly Revision[]
  /** Whether the commit is no longer a revision of the history: after an amend or a reset. */
  readonly isRewritten: boolean
}

/** Picks the revisions that a caller waits for. */
export type SelectRevisions = (revisions: readonly Revision[]) => Promise<readonly Revision[]>

interface WatchRequest {
  readonly principal: Principal
  readonly held: number
  readonly signal: AbortSignal
  /** All when absent. */
  readonly select?: SelectRevisions
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

  /** @throws {ServiceError} `not-permitted` */
  assertMay(principal: Principal): void {
    assertMay(this.#deps.access, principal, { action: 'administer' })
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
   * first one that is wanted. A revision may revoke the caller's permission, so it is checked again after each
   * wait.
   *
   * @throws {ServiceError} `not-permitted`; `revision-not-found` when it is none, or is removed
   * from the history.
   */
  async wait(
    since: CommitSha,
    { principal, held, signal, select = async (revisions) => revisions }: WatchRequest,
  ): Promise<readonly Revision[]> {
    const end = performance.now() + held
    for (;;) {
      const turn = this.#version
      const { revisions, isRewritten } = await this.newer(since)
      this.assertMay(principal)
      if (isRewritten) throw commitNotFound(this.#deps.history, since)
      const wanted = await select(revisions)
      const left = end - performance.now()
      if (wanted.length > 0 || left <= 0 || signal.aborted || this.#isClosed) return wanted
      if (turn === this.#version) await this.#next(left, signal)
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
