import { type Revision, type RevisionKind, revisionKindOf } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import type { EntityIndex } from '../../configuration/changes/entity-index.ts'
import { Turns } from '../../lib/cooperative.ts'
import { DayCounts } from './day-counts.ts'

/** What is counted over a whole history. */
export class HistoryCounts {
  size = 0
  readonly kinds = new Map<RevisionKind, number>()
  /** The revisions of each user, without registrations of agents. */
  readonly users = new Map<string, number>()
  readonly days = new DayCounts()
  /** The revisions with only cosmetic changes, as far as they are indexed. */
  noise = 0

  /** The next newer revision. */
  add(revision: Revision): void {
    const kind = revisionKindOf(revision)
    this.size += 1
    count(this.kinds, kind)
    if (kind !== 'agent') count(this.users, revision.username)
    this.days.add(revision.time)
  }
}

/** The revisions that are read from the history at once. */
const AT_ONCE = 500

/**
 * Keeps the counts over a history as it grows. Each revision is looked at once, and once more when
 * it has been indexed, so that a page costs the same however long the history is.
 */
export class HistoryTally {
  readonly #history: History
  readonly #entities: EntityIndex
  #counts = new HistoryCounts()
  /** The newest revision that is counted. */
  #newest: Revision | null = null
  /** The counted revisions that are not indexed yet. */
  #unindexed: Revision[] = []
  #counting: Promise<HistoryCounts> | null = null

  constructor(history: History, entities: EntityIndex) {
    this.#history = history
    this.#entities = entities
  }

  /** The counts with the newest revision in them. */
  read(): Promise<HistoryCounts> {
    this.#counting ??= this.#catchUp().finally(() => {
      this.#counting = null
    })
    return this.#counting
  }

  async #catchUp(): Promise<HistoryCounts> {
    const turns = new Turns()
    do {
      if (this.#newest !== null && !this.#history.isClosed(this.#newest)) this.#beginAnew()
      await this.#countUpTo(this.#history.current(), turns)
      await this.#countNoise(turns)
    } while (!this.#isUpToDate())
    return this.#counts
  }

  #isUpToDate(): boolean {
    return this.#newest?.commit === this.#history.current().commit
  }

  /** A history that is rewritten meanwhile is found to have another newest revision, and is counted anew. */
  async #countUpTo(newest: Revision, turns: Turns): Promise<void> {
    const end = this.#history.kept()
    for (let begin = this.#counts.size; begin < end; begin = this.#counts.size) {
      const limit = Math.min(AT_ONCE, end - begin)
      const page = this.#history.list({ offset: this.#history.kept() - begin - limit, limit })
      for (const revision of page.toReversed()) {
        this.#counts.add(revision)
        this.#unindexed.push(revision)
      }
      if (page.length < limit) break
      if (turns.isOver) await turns.next()
    }
    this.#newest = newest
  }

  async #countNoise(turns: Turns): Promise<void> {
    const unindexed: Revision[] = []
    for (const revision of this.#unindexed) {
      if (!this.#entities.isIndexed(revision)) unindexed.push(revision)
      else if (this.#entities.isCosmetic(revision)) this.#counts.noise += 1
      if (turns.isOver) await turns.next()
    }
    this.#unindexed = unindexed
  }

  #beginAnew(): void {
    this.#counts = new HistoryCounts()
    this.#newest = null
    this.#unindexed = []
  }
}

function count<Value>(counts: Map<Value, number>, value: Value): void {
  counts.set(value, (counts.get(value) ?? 0) + 1)
}
