import type { ChangeFacts } from '../../core/change-origin.ts'
import type { Revision } from '../../core/revision.ts'
import type { LazyList } from '../../lib/lazy-list.ts'
import { Emitter } from '../../lib/emitter.ts'

/** A change of the list of revisions. */
export interface RevisionEvent {
  /** The revisions that were not there before, oldest first. */
  readonly added: LazyList<Revision>
  /** Whether older revisions are gone or have moved: after a reset, an amend, a merge. */
  readonly isRewritten: boolean
  /** Whether each of them is a change of this service, and not part of a move by others. */
  readonly areSaves?: boolean
  /** The facts of these changes, one for each. */
  readonly facts?: readonly ChangeFacts[]
}

export type RevisionListener = (news: RevisionEvent) => void

/** Emits events about new revisions. */
export class RevisionEvents {
  readonly #events = new Emitter<[RevisionEvent]>()

  subscribe(listener: RevisionListener): () => void {
    return this.#events.on(listener)
  }

  emit(news: RevisionEvent): void {
    if (news.added.length > 0 || news.isRewritten) this.#events.emit(news)
  }
}
