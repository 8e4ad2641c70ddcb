import { type Revision, type RevisionKind, revisionKindOf } from '../../core/revision.ts'
import type { EntityIndex } from '../../configuration/changes/entity-index.ts'
import { hasWantedFacts, type RevisionFilter } from '../../configuration/search/revision-filter.ts'
import { Turns } from '../../lib/cooperative.ts'
import { type DayBar, DayCounts } from './day-counts.ts'
import type { Collection } from './growing.ts'

/** What is counted over a whole history. */
export class HistoryCounts implements Collection {
  size = 0
  readonly kinds = new Map<RevisionKind, number>()
  /** The revisions of each user, without registrations of agents. */
  readonly users = new Map<string, number>()
  /** The revisions with only cosmetic changes, as far as they were indexed at the last look. */
  noise = 0
  /** The revisions that were not indexed then. */
  #unindexed: Revision[] = []

  add(revision: Revision): void {
    const kind = revisionKindOf(revision)
    this.size += 1
    count(this.kinds, kind)
    if (kind !== 'agent') count(this.users, revision.username)
    this.#unindexed.push(revision)
  }

  /** Looks at what has been indexed since the last look. */
  async countNoise(entities: EntityIndex): Promise<void> {
    const turns = new Turns()
    const revisions = this.#unindexed
    this.#unindexed = []
    for (const revision of revisions) {
      if (!entities.isIndexed(revision)) this.#unindexed.push(revision)
      else if (entities.isCosmetic(revision)) this.noise += 1
      if (turns.isOver) await turns.next()
    }
  }
}

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

function count<Value>(counts: Map<Value, number>, value: Value): void {
  counts.set(value, (counts.get(value) ?? 0) + 1)
}
