import type { Revision } from '../core/revision.ts'
import type { DocumentChange } from '../document/entities/change.ts'
import type { History } from '../history/history.ts'
import type { HistoryWalker } from './history-walker.ts'
import type { IndexTables } from './tables/index-tables.ts'
import { parseChanges } from './tables/revision-changes.ts'
import type { CountedLines } from './tables/revision-table.ts'

/** The difference between a revision and the one upon which it came. */
export interface RevisionDetail {
  /** A merge has only its own. */
  readonly changes: readonly DocumentChange[]
  /** Of a merge, those that came to its first parent. */
  readonly lines: CountedLines
}

export interface RevisionDetailsDeps {
  readonly history: History
  readonly walker: HistoryWalker
  readonly tables: IndexTables
}

/** The changes and counts that lists show beside the facts of revisions. */
export class RevisionDetails {
  readonly #deps: RevisionDetailsDeps

  constructor(deps: RevisionDetailsDeps) {
    this.#deps = deps
  }

  /** Null while a revision is not indexed, or when its document cannot be read. */
  find(revision: Revision): RevisionDetail | null {
    const { history, tables } = this.#deps
    const number = history.numberOf(revision) ?? 0
    const record = tables.revisions.find(number)
    if (record?.commit !== revision.commit || record.lines === null) return null
    const stored = tables.changes.stored(number)
    return stored === null ? null : { changes: parseChanges(stored), lines: record.lines }
  }

  /** Whether a revision was indexed. */
  isKnown(revision: Revision): boolean {
    const number = this.#deps.history.numberOf(revision)
    return number !== null && this.#deps.walker.isWalked(number)
  }

  /** Waits until revisions are indexed, for so many milliseconds at most. */
  wait(revisions: readonly Revision[], timeoutMs: number): Promise<void> {
    return this.#deps.walker.waitFor(
      () => revisions.every((revision) => this.isKnown(revision)),
      timeoutMs,
    )
  }
}
