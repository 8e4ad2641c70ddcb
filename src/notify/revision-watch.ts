import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import type { History } from '../history/history.ts'
import { Emitter } from '../lib/emitter.ts'
import { type Access, assertMay } from '../configuration/access/permission.ts'

export interface RevisionWatchDeps {
  readonly history: History
  readonly access: Access
}

/** What has come since a commit. */
export interface Newer {
  /** Oldest first. */
  readonly revisions: readonly Revision[]
  /** Whether the commit is no revision of the history any more: after an amend or a reset. */
  readonly isRewritten: boolean
}

/**
 * Lets callers wait for revisions. All of them wait for one listener, and what has come is asked of
 * the history for each, so nobody misses anything however late he is.
 */
export class RevisionWatch implements Disposable {
  readonly #deps: RevisionWatchDeps
  readonly #changed = new Emitter()
  readonly #unlisten: () => void
  /** How often there was something new, so that nothing is overlooked that came while one asked. */
  #turn = 0
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

  /** What has come since a commit, at once. */
  async newer(since: CommitSha): Promise<Newer> {
    const { history } = this.#deps
    const found = await history.listNewer(since)
    const isRewritten = history.findCommit(since) === null
    return { revisions: found ?? [history.current()], isRewritten }
  }

  /**
   * The revisions newer than one of them, oldest first: at once when there are any, otherwise as
   * soon as there are, or none when `held` milliseconds have passed. A revision may take the
   * caller's permission away, so it is asked for again after each wait.
   *
   * @throws {ServiceError} `not-permitted`; `revision-not-found` when it is none, or is taken out of
   * the history.
   */
  async wait(
    since: CommitSha,
    { principal, held, signal }: { principal: Principal; held: number; signal: AbortSignal },
  ): Promise<readonly Revision[]> {
    const end = performance.now() + held
    for (;;) {
      const turn = this.#turn
      const { revisions, isRewritten } = await this.newer(since)
      this.assertMay(principal)
      if (isRewritten) throw notFound(since)
      const left = end - performance.now()
      if (revisions.length > 0 || left <= 0 || signal.aborted || this.#isClosed) return revisions
      if (turn === this.#turn) await this.#next(left, signal)
    }
  }

  /** Calls the listener whenever there may be something new, and when the service stops. Returns how to stop that. */
  listen(listener: () => void): () => void {
    return this.#changed.on(listener)
  }

  /** Answers everybody who waits. */
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
    this.#turn += 1
    this.#changed.emit()
  }
}

function notFound(commit: CommitSha): ServiceError {
  const message = `No revision has the commit ${commit}`
  return new ServiceError('revision-not-found', message, { commit })
}
