import type { Revision } from '../../core/revision.ts'

import type { IndexDatabase } from '../database/index-database.ts'
import type { Step } from './step.ts'
import { type ChangeRecord, changeRecordOf, ChangeTable } from './change-table.ts'
import { type EditRecord, editRecordOf, EditTable } from './edit-table.ts'
import { type RevisionRecord, revisionRecordOf, RevisionTable } from './revision-table.ts'
import { type TextRecord, textRecordOf, TextTable } from './text-table.ts'

/** The rows of one revision in all tables. Its documents are not needed any more. */
export interface StepRecord {
  readonly number: number
  readonly revision: RevisionRecord
  readonly changes: ChangeRecord | null
  readonly text: TextRecord | null
  readonly edits: EditRecord | null
}

export function recordOf(step: Step): StepRecord {
  return {
    number: step.number,
    revision: revisionRecordOf(step),
    changes: changeRecordOf(step),
    text: textRecordOf(step),
    edits: editRecordOf(step),
  }
}

/** The record of a revision whose document the repository no longer has. */
export function unreadableRecord(number: number, { commit }: Revision): StepRecord {
  const revision = { number, commit, isClosed: false, lines: null }
  return { number, revision, changes: null, text: null, edits: null }
}

/** The bytes that a record keeps in memory, more or less. */
export function weightOf({ changes, text }: StepRecord): number {
  return (changes?.stored.length ?? 0) + 2 * (text?.packed.length ?? 0)
}

/** The tables of the index. Each takes what it has of a revision from the same step. */
export class IndexTables {
  static readonly statements = [RevisionTable, ChangeTable, TextTable, EditTable].flatMap(
    ({ tables }) => tables,
  )
  readonly revisions: RevisionTable
  readonly changes: ChangeTable
  readonly texts: TextTable
  readonly edits: EditTable

  constructor(database: IndexDatabase) {
    this.revisions = new RevisionTable(database)
    this.changes = new ChangeTable(database)
    this.texts = new TextTable(database)
    this.edits = new EditTable(database)
  }

  /** Adds records that are in the order of their numbers, the newest first, which SQLite packs best. */
  *put(records: readonly StepRecord[]): Generator<unknown, void> {
    for (const { revision, changes, text, edits } of records.toReversed()) {
      this.revisions.put(revision)
      if (changes !== null) yield* this.changes.put(changes)
      if (edits !== null) this.edits.put(edits)
      yield
      if (text !== null) yield this.texts.put(text)
    }
  }

  dropAbove(number: number): void {
    this.revisions.dropAbove(number)
    this.changes.dropAbove(number)
    this.texts.dropAbove(number)
    this.edits.dropAbove(number)
  }
}
