import type { EditScript } from '../../diff/edit-script.ts'
import type { LineRange, Lines } from '../../diff/lines.ts'
import { type ChangedText, changedTextOf, packPlaces, unpackPlaces } from './changed-text.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import {
  checked,
  checkedIn,
  type DerivedRow,
  numberIn,
  numberOfRow,
} from '../database/index-rows.ts'
import { numberOfRowId, rowIdOf } from '../database/row-ids.ts'
import type { Step } from './step.ts'

/** The changed text of a revision in stored form. */
export interface TextRecord {
  readonly number: number
  readonly packed: Uint8Array
  /** Null where they are too long. */
  readonly searched: SearchedParts | null
}

/** The changed lines, and of each change what is between equal ends: their sequences are looked for. */
interface SearchedParts {
  readonly lines: string
  readonly regions: string
}

/**
 * The sequences of a text in the language of FTS5. Where the count of the text changes, one of them is
 * in a region, and all are in the changed lines unless the text spans lines.
 */
export interface SequenceQuery {
  readonly inRegions: string
  /** Null for a text that spans lines. */
  readonly inLines: string | null
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
/**
 * The rarest sequences of a text that are looked for in lines; from the third on only those that few
 * samples have, because to go through the revisions of a frequent one costs more than to judge a few more.
 */
const LOOKED_FOR = { always: 2, rare: 4 }
const FEW_SAMPLES = 3
/** The revisions that tell which sequences are rare; others are taken when the history has grown by this. */
const SAMPLES = 64
const SAMPLES_GROWTH = 1.25
/** Its multiples spread evenly, at no steady step, which texts with numbers in them could share. */
const GOLDEN_RATIO = 0.618_034
/** The most rows of a table of sequences that are read at once. */
const MAX_ROWS = 2_000

/** Null for a merge, which changes nothing itself, and for what is in no search. */
export function textRecordOf({ number, isListed, bases, scripts }: Step): TextRecord | null {
  const [script] = scripts
  if (script === undefined || bases.length > 1 || !isListed) return null
  const places = changedTextOf(script)
  const length = places.reduce((sum, { before, after }) => sum + before.length + after.length, 0)
  const searched = length > MAX_SEARCHED ? null : searchedPartsOf(script)
  return { number, packed: packPlaces(places), searched }
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

const TEXT = `CREATE TABLE changed_text (id INTEGER PRIMARY KEY, is_long INTEGER NOT NULL,
  packed BLOB NOT NULL) STRICT`
const LONG_TEXT = 'CREATE INDEX long_text ON changed_text (id) WHERE is_long = 1'
/** A text that stands in each changed line is in no region: a table of their own tells so at once. */
const SEQUENCES = ['changed_lines', 'changed_regions'].map(
  (table) => `CREATE VIRTUAL TABLE ${table} USING fts5 (text, content = '',
  contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1')`,
)

/** The newest changed text up to a number that has sequences. */
const SAMPLE = `SELECT id, packed FROM changed_text WHERE id >= ? AND is_long = 0
  ORDER BY id LIMIT 1`

/** The changed text of each revision, found by sequences of three characters. */
export class TextTable {
  static readonly tables = [TEXT, LONG_TEXT, ...SEQUENCES]
  readonly #database: IndexDatabase
  #samples: Samples = { last: 0, texts: [] }

  constructor(database: IndexDatabase) {
    this.#database = database
  }

  /** The sequences by which a text is found; null where it has none, or too many. */
  queryFor(text: string): SequenceQuery | null {
    const sequences = sequencesOf(text)
    if (sequences.length === 0 || sequences.length > MAX_SEQUENCES || text.includes('\0'))
      return null
    const inLines = text.includes('\n') ? null : this.#rarest(sequences).map(quoted).join(' AND ')
    return { inRegions: sequences.map(quoted).join(' OR '), inLines }
  }

  /**
   * The newest revisions below a number in which a text may occur more or less often, newest first: all
   * in which it does, and some in which it does not. Without a query, all that changed something.
   */
  newest(query: SequenceQuery | null, below: number, limit: number): readonly TextRow[] {
    return this.#database.read(() => {
      if (query === null) return this.#newestOfAll(below, limit)
      const numbers = [...this.#found(query, below, limit), ...this.#newestLong(below, limit)]
      const newest = numbers.toSorted((one, other) => other - one).slice(0, limit)
      return newest.flatMap((number) => this.find(number) ?? [])
    }, [])
  }

  #newestOfAll(below: number, limit: number): readonly TextRow[] {
    const sql = 'SELECT id, packed FROM changed_text WHERE id > ? ORDER BY id LIMIT ?'
    return this.#database.rows(sql, rowIdOf(below), limit).map(textRowIn)
  }

  #newestLong(below: number, limit: number): readonly number[] {
    const sql = 'SELECT id FROM changed_text WHERE is_long = 1 AND id > ? ORDER BY id LIMIT ?'
    return this.#database.list(numberOfRow, sql, rowIdOf(below), limit)
  }

  /**
   * The newest revisions that have the sequences of a query, newest first. Where one of the two tables
   * has few of them, these are taken without asking the other, which would cost more than to judge them.
   */
  #found({ inRegions, inLines }: SequenceQuery, below: number, limit: number): readonly number[] {
    const found: number[] = []
    let from = rowIdOf(below) + 1
    for (let many = limit; found.length < limit; many = Math.min(many * 4, MAX_ROWS)) {
      const regions = this.#stretch('changed_regions', inRegions, { from, many })
      const lines =
        inLines === null ? regions : this.#stretch('changed_lines', inLines, { from, many })
      const [dense, sparse] = regions.end < lines.end ? [regions, lines] : [lines, regions]
      const rows = [...sparse.rows].filter((row) => row > dense.end || dense.rows.has(row))
      found.push(...rows.map(numberOfRowId))
      if (sparse.end === Infinity) break
      from = sparse.end + 1
    }
    return found.slice(0, limit)
  }

  /** The first rows from one on that a query matches, and up to where these are all. */
  #stretch(table: string, query: string, { from, many }: { from: number; many: number }): Stretch {
    const sql = `SELECT rowid FROM ${table} WHERE ${table} MATCH ? AND rowid >= ? ORDER BY rowid LIMIT ?`
    const rows = this.#database.list((row) => numberIn(row, 'rowid'), sql, query, from, many)
    return { rows: new Set(rows), end: rows.length < many ? Infinity : (rows.at(-1) ?? Infinity) }
  }

  /** Sequences that most revisions have tell nothing, and take long to go through. */
  #rarest(sequences: readonly string[]): readonly string[] {
    if (sequences.length <= LOOKED_FOR.always) return sequences
    const samples = this.#database.read(() => this.#readSamples(), [])
    const counted = sequences.map((sequence) => {
      return { sequence, count: samples.filter((text) => text.includes(sequence)).length }
    })
    const rarest = counted.toSorted((one, other) => one.count - other.count)
    return rarest
      .slice(0, LOOKED_FOR.rare)
      .filter(({ count }, n) => n < LOOKED_FOR.always || count <= FEW_SAMPLES)
      .map(({ sequence }) => sequence)
  }

  /** The changed lines of some revisions from all over the history. Old ones serve as well: they decide nothing. */
  #readSamples(): readonly string[] {
    const [newest] = this.#database.rows(SAMPLE, 0)
    const last = newest === undefined ? 0 : numberOfRow(newest)
    const kept = this.#samples
    if (kept.last <= last && last < kept.last * SAMPLES_GROWTH) return kept.texts
    const numbers = Array.from({ length: SAMPLES }, (_, n) =>
      Math.ceil(last * (((n + 1) * GOLDEN_RATIO) % 1)),
    )
    const rows = numbers.flatMap((number) => this.#database.rows(SAMPLE, rowIdOf(number)))
    const texts = rows.map((row) => {
      const { places } = textRowIn(row)
      return Buffer.concat(places.flatMap(({ before, after }) => [before, after])).toString()
    })
    this.#samples = { last, texts }
    return texts
  }

  /** Null for a revision without changed text. */
  find(number: number): TextRow | null {
    return this.#database.read(() => {
      const sql = 'SELECT id, packed FROM changed_text WHERE id = ?'
      const [row] = this.#database.rows(sql, rowIdOf(number))
      return row === undefined ? null : textRowIn(row)
    }, null)
  }

  put({ number, packed, searched }: TextRecord): void {
    const sql = 'INSERT OR REPLACE INTO changed_text VALUES (?, ?, ?)'
    const id = rowIdOf(number)
    this.#database.run(sql, id, searched === null ? 1 : 0, checked(packed))
    if (searched === null) return
    this.#database.run(insertInto('changed_lines'), id, searched.lines)
    this.#database.run(insertInto('changed_regions'), id, searched.regions)
  }

  dropAbove(number: number): void {
    for (const table of ['changed_lines', 'changed_regions'])
      this.#database.run(`DELETE FROM ${table} WHERE rowid < ?`, rowIdOf(number))
    this.#database.run('DELETE FROM changed_text WHERE id < ?', rowIdOf(number))
  }
}

function insertInto(table: string): string {
  return `INSERT INTO ${table} (rowid, text) VALUES (?, ?)`
}

function textRowIn(row: DerivedRow): TextRow {
  return { number: numberOfRow(row), places: unpackPlaces(checkedIn(row, 'packed')) }
}

/** Changed lines of revisions up to one. */
interface Samples {
  readonly last: number
  readonly texts: readonly string[]
}

/** Some rows of a table of sequences. */
interface Stretch {
  readonly rows: ReadonlySet<number>
  /** The last row up to which there are no others. */
  readonly end: number
}

function sequencesOf(text: string): readonly string[] {
  const characters = Array.from(text)
  const all = characters
    .slice(SEQUENCE - 1)
    .map((_, n) => characters.slice(n, n + SEQUENCE).join(''))
  return [...new Set(all)]
}

/** A sequence in the language of FTS5. */
function quoted(sequence: string): string {
  return `"${sequence.replaceAll('"', '""')}"`
}
