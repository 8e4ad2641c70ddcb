import type { Revision } from '../../core/revision.ts'
import { hasWantedFacts, type RevisionFilter } from '../../configuration/search/revision-filter.ts'
import { type DayBar, DayCounts } from './day-counts.ts'
import type { Collection } from './growing.ts'

/** Some of the revisions of a history, and how many of them each day has. */
export class SelectedRevisions implements Collection {
  readonly #filter: RevisionFilter
  /** Oldest first. */
  readonly #revisions: Revision[] = []
  readonly #days = new DayCounts()

  /** @param filter That is about facts alone. */
  constructor(filter: RevisionFilter) {
    this.#filter = filter
  }

  get size(): number {
    return this.#revisions.length
  }

  add(revision: Revision): void {
    if (!hasWantedFacts(revision, this.#filter)) return
    this.#revisions.push(revision)
    this.#days.add(revision.time)
  }

  bars(): DayBar[] {
    return this.#days.bars()
  }

  /** A part of them, newest first. */
  list({ offset, limit }: { readonly offset: number; readonly limit: number }): Revision[] {
    const end = Math.max(0, this.size - offset)
    return this.#revisions.slice(Math.max(0, end - limit), end).toReversed()
  }
}
