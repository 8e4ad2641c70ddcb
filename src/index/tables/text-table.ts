import type { EditScript } from '../../diff/edit-script.ts'
import type { LineRange, Lines } from '../../diff/lines.ts'
import { type ChangedText, changedTextOf } from './changed-text.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { checked, checkedIn, type DerivedRow, numberIn } from '../database/index-rows.ts'
import type { Step } from './step.ts'
import { packNumbers, unpackNumbers } from '../database/varints.ts'

/** The changed text of a revision in stored form. */
export interface TextRecord {
  readonly number: number
  /** The lengths of the texts, and the texts. */
  readonly packed: Uint8Array
  /** Null where they are too long. */
  readonly searched: SearchedParts | null
}

/** The changed lines, and of each change what is between equal ends: their sequences are looked for. */
interface SearchedParts {
  readonly lines: string
  readonly regions: string
}

/** The changed text of a revision. */
export interface TextRow {
  readonly number: number
  readonly places: readonly ChangedText[]
}

/** The characters of the sequences by which texts are found. */
const SEQUENCE = 3
/** Of longer changed text, in bytes, the sequences would take too long: every search looks into it. */
const MAX_SEARCHED = 16_384
/** As many bytes as the characters of a sequence but one can have. */
const AROUND = 4 * (SEQUENCE - 1)
/** More sequences in a search would make it no quicker. */
const MAX_SEQUENCES = 60

/** Null for a merge, which changes nothing itself, and for what is in no search. */
export function textRecordOf({ number, isListed, bases, scripts }: Step): TextRecord | null {
  const [script] = scripts
  if (script === undefined || bases.length > 1 || !isListed) return null
  const texts = changedTextOf(script).flatMap(({ before, after }) => [before, after])
  const lengths = packNumbers(texts.map(({ length }) => length))
  const packed = Buffer.concat([packNumbers([lengths.length]), lengths, ...texts])
  return { number, packed, searched: packed.length > MAX_SEARCHED ? null : searchedPartsOf(script) }
}

function searchedPartsOf({ before, after, changes }: EditScript): SearchedParts {
  const lines = changes.flatMap((change) => [
    textAround(before, change.before, 0),
    textAround(after, change.after, 0),
  ])
  const regions = changes.map((change) =>
    regionOf(textAround(before, change.before, AROUND), textAround(after, change.after, AROUND)),
  )
  return { lines: lines.join(''), regions: regions.join('\n') }
}

/** Some lines with so many bytes around them. */
function textAround({ bytes, starts }: Lines, { start, end }: LineRange, around: number): string {
  const from = Math.max(0, (starts[start] ?? 0) - around)
  const text = bytes.subarray(from, (starts[end] ?? bytes.length) + around)
  return Buffer.from(text).toString()
}

/**
 * The part between the equal ends of two texts, with as much of these as a sequence that spans their
 * border has. An occurrence in only one of the texts has a sequence in it.
 */
function regionOf(before: string, after: string): string {
  const [one, other] = [Array.from(before), Array.from(after)]
  const most = Math.min(one.length, other.length)
  let prefix = 0
  while (prefix < most && one[prefix] === other[prefix]) prefix += 1
  let suffix = 0
  while (suffix < most - prefix && one.at(-1 - suffix) === other.at(-1 - suffix)) suffix += 1
  const [start, end] = [prefix, suffix].map((length) => Math.max(0, length - SEQUENCE + 1))
  return [one, other].map((text) => text.slice(start, text.length - (end ?? 0)).join('')).join('\n')
}

const TEXT = `CREATE TABLE changed_text (number INTEGER PRIMARY KEY, is_long INTEGER NOT NULL,
  packed BLOB NOT NULL) STRICT`
const LONG_TEXT = 'CREATE INDEX long_text ON changed_text (number) WHERE is_long = 1'
/** A text that stands in each changed line is in no region: a table of their own tells so at once. */
const SEQUENCES = ['changed_lines', 'changed_regions'].map(
  (table) => `CREATE VIRTUAL TABLE ${table} USING fts5 (text, content = '',
  contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1')`,
)

/** Rows of sequences are numbered downwards, because FTS5 skips what does not fit in that direction alone. */
const MAX_NUMBER = 2 ** 40

/** The changed text of each revision, found by sequences of three characters. */
export class TextTable {
  static readonly tables = [TEXT, LONG_TEXT, ...SEQUENCES]
  readonly #database: IndexDatabase

  constructor(database: IndexDatabase) {
    this.#database = database
  }

  /**
   * The newest revisions below a number in which a text may occur more or less often, newest first: all
   * in which it does, and some in which it does not.
   */
  newest(text: string, below: number, limit: number): readonly TextRow[] {
    const query = queryOf(text)
    return this.#database.read(() => {
      if (query === null) return this.#newestOfAll(below, limit)
      const numbers = [...this.#found(query, below, limit), ...this.#newestLong(below, limit)]
      const newest = numbers.toSorted((one, other) => other - one).slice(0, limit)
      return newest.flatMap((number) => this.find(number) ?? [])
    }, [])
  }

  #newestOfAll(below: number, limit: number): readonly TextRow[] {
    const sql =
      'SELECT number, packed FROM changed_text WHERE number < ? ORDER BY number DESC LIMIT ?'
    return this.#database.rows(sql, below, limit).map(textRowIn)
  }

  #newestLong(below: number, limit: number): readonly number[] {
    const sql =
      'SELECT number FROM changed_text WHERE is_long = 1 AND number < ? ORDER BY number DESC LIMIT ?'
    return this.#database.list((row) => numberIn(row, 'number'), sql, below, limit)
  }

  /** The newest revisions that have the sequences of a query, newest first. */
  #found({ inRegions, inLines }: Query, below: number, limit: number): readonly number[] {
    const regions = new RowCursor(this.#database, 'changed_regions', inRegions, limit)
    const lines =
      inLines === null ? regions : new RowCursor(this.#database, 'changed_lines', inLines, limit)
    const found: number[] = []
    for (let at = Math.max(0, MAX_NUMBER - below + 1); found.length < limit;) {
      const region = regions.from(at)
      const line = region === null ? null : lines.from(region)
      if (line === null) return found
      if (line === region) found.push(MAX_NUMBER - line)
      at = line === region ? line + 1 : line
    }
    return found
  }

  /** Null for a revision without changed text. */
  find(number: number): TextRow | null {
    return this.#database.read(() => {
      const sql = 'SELECT number, packed FROM changed_text WHERE number = ?'
      const [row] = this.#database.rows(sql, number)
      return row === undefined ? null : textRowIn(row)
    }, null)
  }

  put({ number, packed, searched }: TextRecord): void {
    const sql = 'INSERT OR REPLACE INTO changed_text VALUES (?, ?, ?)'
    this.#database.run(sql, number, searched === null ? 1 : 0, checked(packed))
  }

  /** Adds the sequences of a record; those of several records quickest from the highest number down. */
  putSequences({ number, searched }: TextRecord): void {
    if (searched === null) return
    const row = MAX_NUMBER - number
    this.#database.run(insertInto('changed_lines'), row, searched.lines)
    this.#database.run(insertInto('changed_regions'), row, searched.regions)
  }

  dropAbove(number: number): void {
    for (const table of ['changed_lines', 'changed_regions'])
      this.#database.run(`DELETE FROM ${table} WHERE rowid < ?`, MAX_NUMBER - number)
    this.#database.run('DELETE FROM changed_text WHERE number > ?', number)
  }
}

/** The rows of a table of sequences that a query matches, in ascending order. */
class RowCursor {
  readonly #database: IndexDatabase
  readonly #sql: string
  readonly #query: string
  readonly #atOnce: number
  #read: readonly number[] = []
  #next = 0
  #hasMore = true

  constructor(database: IndexDatabase, table: string, query: string, atOnce: number) {
    this.#database = database
    this.#sql = `SELECT rowid FROM ${table} WHERE ${table} MATCH ? AND rowid >= ? ORDER BY rowid LIMIT ?`
    this.#query = query
    this.#atOnce = atOnce
  }

  /** The first row from one on, which has to be none before the last that was asked for; null for none. */
  from(row: number): number | null {
    for (;;) {
      for (; this.#next < this.#read.length; this.#next += 1) {
        const found = this.#read[this.#next]
        if (found !== undefined && found >= row) return found
      }
      if (!this.#hasMore) return null
      const [take, limit] = [(found: DerivedRow) => numberIn(found, 'rowid'), this.#atOnce]
      this.#read = this.#database.list(take, this.#sql, this.#query, row, limit)
      this.#next = 0
      this.#hasMore = this.#read.length === limit
    }
  }
}

function insertInto(table: string): string {
  return `INSERT INTO ${table} (rowid, text) VALUES (?, ?)`
}

function textRowIn(row: DerivedRow): TextRow {
  const packed = checkedIn(row, 'packed')
  const end = packed.findIndex((byte) => byte < 128) + 1
  const [headLength = 0] = unpackNumbers(packed.subarray(0, end))
  const lengths = unpackNumbers(packed.subarray(end, end + headLength))
  const places: ChangedText[] = []
  let at = end + headLength
  const next = (length = 0) => packed.subarray(at, (at += length))
  for (let n = 0; n < lengths.length; n += 2) {
    const before = next(lengths[n])
    places.push({ before, after: next(lengths[n + 1]) })
  }
  return { number: numberIn(row, 'number'), places }
}

/** The sequences of a text in the language of FTS5; any of them in regions, all in lines. */
interface Query {
  readonly inRegions: string
  /** Null for a text that spans lines. */
  readonly inLines: string | null
}

/**
 * A query for the sequences of a text; null where it has none, or too many. Where the count of the text
 * changes, one of them is in a region, and all are in the changed lines unless the text spans lines.
 */
function queryOf(text: string): Query | null {
  const characters = Array.from(text)
  const all = characters
    .slice(SEQUENCE - 1)
    .map((_, n) => characters.slice(n, n + SEQUENCE).join(''))
  const sequences = [...new Set(all)].map((each) => `"${each.replaceAll('"', '""')}"`)
  if (sequences.length === 0 || sequences.length > MAX_SEQUENCES || text.includes('\0')) return null
  const inLines = text.includes('\n') ? null : sequences.join(' AND ')
  return { inRegions: sequences.join(' OR '), inLines }
}
