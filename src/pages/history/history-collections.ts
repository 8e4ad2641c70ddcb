import { type Revision, type RevisionKind, revisionKindOf } from '../../core/revision.ts'
import { type RevisionFilter, wantedFacts } from '../../configuration/search/revision-filter.ts'
import type { History } from '../../history/history.ts'
import { bisect } from '../../lib/bisect.ts'
import { NumberList } from '../../lib/compact/number-list.ts'
import { type DayBar, DayCounts } from './day-counts.ts'
import type { Collection } from './growing.ts'

/** Counts over a whole history. */
export class HistoryCounts implements Collection {
  size = 0
  readonly kinds = new Map<RevisionKind, number>()
  /** The revisions of each user, without registrations of agents. */
  readonly users = new Map<string, number>()

  add(revision: Revision): void {
    const kind = revisionKindOf(revision)
    this.size += 1
    count(this.kinds, kind)
    if (kind !== 'agent') count(this.users, revision.username)
  }
}

/** Some of the revisions of a history, and how many of them each day has. */
export class SelectedRevisions implements Collection {
  readonly #history: History
  readonly #isWanted: (revision: Revision) => boolean
  /** The places of those that are selected, oldest first. */
  readonly #places = new NumberList()
  readonly #days = new DayCounts()

  /** @param filter That is about facts alone. */
  constructor(history: History, filter: RevisionFilter) {
    this.#history = history
    this.#isWanted = wantedFacts(filter)
  }

  get size(): number {
    return this.#places.length
  }

  add(revision: Revision, place: number): void {
    if (!this.#isWanted(revision)) return
    this.#places.push(place)
    this.#days.add(revision.time)
  }

  bars(): DayBar[] {
    return this.#days.bars()
  }

  /** How many of them are newer than the revision of a place. */
  newerThan(place: number): number {
    const older = bisect({ high: this.size }, (n) => (this.#places.at(n) ?? 0) <= place)
    return this.size - older
  }

  /** A part of them, newest first. */
  list({ offset, limit }: { readonly offset: number; readonly limit: number }): Revision[] {
    const end = Math.max(0, this.size - offset)
    const places = this.#places.slice(Math.max(0, end - limit), end).toReversed()
    const oldest = this.#history.kept() - 1
    return places.flatMap((place) => this.#history.list({ offset: oldest - place, limit: 1 }))
  }
}

function count<Value>(counts: Map<Value, number>, value: Value): void {
  counts.set(value, (counts.get(value) ?? 0) + 1)
}
