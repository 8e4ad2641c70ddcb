import type { Revision } from '../core/revision.ts'

/** How the list of revisions has changed. */
export interface RevisionNews {
  /** The revisions that were not there before, oldest first. */
  readonly added: readonly Revision[]
  /** Whether older revisions are gone or stand elsewhere: after a reset, an amend, a merge. */
  readonly isRewritten: boolean
}

export type RevisionListener = (news: RevisionNews) => void

/** Tells listeners about new revisions. */
export class RevisionNewsDesk {
  readonly #listeners = new Set<RevisionListener>()

  listen(listener: RevisionListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  announce(news: RevisionNews): void {
    if (news.added.length === 0 && !news.isRewritten) return
    for (const listener of this.#listeners) listener(news)
  }
}
