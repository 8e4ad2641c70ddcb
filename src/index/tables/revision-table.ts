import { countLines } from '../../diff/hunks.ts'
import { type CommitSha, CommitSha as parsedSha, type Revision } from '../../core/revision.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { bytesIn, numberIn, numberOfRow } from '../database/index-rows.ts'
import { rowIdOf } from '../database/row-ids.ts'
import type { Range } from '../database/number-ranges.ts'
import type { Step } from './step.ts'

/** How many lines a revision added and removed; a merge, in its first parent. */
export interface CountedLines {
  readonly added: number
  readonly removed: number
}

/** The row of a revision; one whose document cannot be read has no counts. */
export interface RevisionRecord {
  readonly number: number
  readonly commit: CommitSha
  readonly isClosed: boolean
  readonly lines: CountedLines | null
}

export function revisionRecordOf({ number, commit, isClosed, scripts }: Step): RevisionRecord {
  const [script] = scripts
  const lines = script === undefined ? null : countLines(script)
  return { number, commit, isClosed, lines }
}

const WALKED = 'CREATE TABLE walked (low INTEGER PRIMARY KEY, high INTEGER NOT NULL) STRICT'
const REVISION = `CREATE TABLE revision (id INTEGER PRIMARY KEY, name BLOB NOT NULL,
  is_closed INTEGER NOT NULL, added INTEGER, removed INTEGER) STRICT`

const UNREADABLE = 'CREATE INDEX unreadable ON revision (id) WHERE added IS NULL'

/** The revision of each number, and the numbers that were walked. */
export class RevisionTable {
  static readonly tables = [WALKED, REVISION, UNREADABLE]
  readonly #database: IndexDatabase

  constructor(database: IndexDatabase) {
    this.#database = database
  }

  /** The numbers that were walked, without those that could not be read. */
  walked(): readonly Range[] {
    return this.#database.list(
      (row) => ({ low: numberIn(row, 'low'), high: numberIn(row, 'high') }),
      'SELECT low, high FROM walked',
    )
  }

  unreadable(): readonly number[] {
    const sql = 'SELECT id FROM revision WHERE added IS NULL'
    return this.#database.list(numberOfRow, sql)
  }

  /** Null for a number that was not walked. */
  find(number: number): RevisionRecord | null {
    const sql = 'SELECT name, is_closed, added, removed FROM revision WHERE id = ?'
    return this.#database.read(() => {
      const [row] = this.#database.rows(sql, rowIdOf(number))
      if (row === undefined) return null
      const commit = parsedSha.parse(bytesIn(row, 'name').toString('hex'))
      const isRead = row['added'] !== null
      const lines = isRead
        ? { added: numberIn(row, 'added'), removed: numberIn(row, 'removed') }
        : null
      return { number, commit, isClosed: numberIn(row, 'is_closed') === 1, lines }
    }, null)
  }

  isAt(number: number, { commit }: Pick<Revision, 'commit'>): boolean {
    const sql = 'SELECT 1 FROM revision WHERE id = ? AND name = ?'
    return this.#database.rows(sql, rowIdOf(number), Buffer.from(commit, 'hex')).length > 0
  }

  put({ number, commit, isClosed, lines }: RevisionRecord): void {
    const values = [lines?.added ?? null, lines?.removed ?? null]
    this.#database.run(
      'INSERT OR REPLACE INTO revision VALUES (?, ?, ?, ?, ?)',
      rowIdOf(number),
      Buffer.from(commit, 'hex'),
      isClosed ? 1 : 0,
      ...values,
    )
  }

  putWalked(ranges: readonly Range[]): void {
    this.#database.run('DELETE FROM walked')
    for (const { low, high } of ranges)
      this.#database.run('INSERT INTO walked VALUES (?, ?)', low, high)
  }

  dropAbove(number: number): void {
    this.#database.run('DELETE FROM revision WHERE id < ?', rowIdOf(number))
  }
}
