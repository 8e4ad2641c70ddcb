import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type CommitSha, isCommitSha, type Revision } from '../../core/revision.ts'
import { EntryKeys, keyOf } from './entry-keys.ts'
import { type AuthorColumns, columnsOf, parseColumns, renderColumns } from './revision-columns.ts'
import type { IndexEntry, IndexSegment, SegmentFacts } from './revision-index.ts'

/** Facts of a revision in the order of `factsOf`. */
type Facts = readonly [string, number, number, string, string, string, string]
const FACTS = ['string', 'number', 'number', 'string', 'string', 'string', 'string'] as const

/** The row of an entry, and its parents: of those entries that have other parents than the entry before. */
type ParentsOfRow = readonly [row: number, parents: readonly CommitSha[]]

/** The most entries that share a line, its parsing and its checksum. */
export const ROWS_PER_LINE = 500

/** Stands between the facts of entries. In JSON a tab within a text is escaped. */
const TAB = '\t'
const TAB_BYTE = TAB.charCodeAt(0)

/** In front of facts that are compressed; others begin with the JSON of the first entry. */
const COMPRESSED = 'z'
const COMPRESSED_BYTE = COMPRESSED.charCodeAt(0)
/** Fewer entries share too little: saves have a line each. */
const MIN_COMPRESSED = 16
/** A million revisions that are read from git should not wait for a few bytes less. */
const COMPRESSION = { level: 1 }

/**
 * Renders entries as one line of text: the key of each, then the facts of each, the parents of all, and
 * the columns of their authors and times, as JSON, with tabs between them. The facts and parents of many
 * are compressed together.
 */
export function renderEntries(entries: readonly IndexEntry[]): string {
  const parents = entries.flatMap((entry, row) => (entry.parents ? [[row, entry.parents]] : []))
  const facts = [...entries.map(factsOf), parents].map((each) => JSON.stringify(each))
  const columns = renderColumns(columnsOf(entries.map(({ revision }) => revision)))
  const stored = entries.length < MIN_COMPRESSED ? facts.join(TAB) : compressed(facts.join(TAB))
  return `${entries.map(keyOf).join('')} ${stored}${TAB}${columns}`
}

function compressed(text: string): string {
  return `${COMPRESSED}${deflateRawSync(text, COMPRESSION).toString('base64')}`
}

function factsOf({ revision }: IndexEntry): Facts | null {
  if (revision === null) return null
  const { username, time, schemaVersion, serverEdition, serverVersion, subject, message } = revision
  return [username, time, schemaVersion, serverEdition, serverVersion, subject, message]
}

/**
 * The entries of such a line. Their revisions are parsed when one is asked for: a start needs only
 * the newest of maybe a million.
 */
export class IndexLine implements IndexSegment {
  readonly keys: EntryKeys
  readonly #line: Buffer
  readonly #facts: Buffer
  readonly #columns: Buffer

  constructor(line: Buffer) {
    const [start, end] = [line.indexOf(' '), line.lastIndexOf(TAB_BYTE)]
    this.keys = new EntryKeys(line.subarray(0, start))
    this.#line = line
    this.#facts = line.subarray(start + 1, end)
    this.#columns = line.subarray(end + 1)
  }

  static of(entries: readonly IndexEntry[]): IndexLine {
    return new IndexLine(Buffer.from(renderEntries(entries)))
  }

  toString(): string {
    return this.#line.toString('utf8')
  }

  readFacts(): SegmentFacts {
    const text = this.#readable().toString('utf8')
    const all = arrayIn(JSON.parse(`[${text.replaceAll(TAB, ',')}]`))
    const revisions = all.slice(0, -1).map((facts, row) => this.#revisionOf(row, facts))
    return { revisions, parents: new Map(parentsIn(all.at(-1))) }
  }

  readColumns(): AuthorColumns {
    return parseColumns(this.#columns.toString('utf8'))
  }

  readRevision(row: number): Revision | null {
    const facts = this.#readable()
    let start = 0
    for (let n = 0; n < row; n += 1) start = facts.indexOf(TAB_BYTE, start) + 1
    const text = facts.toString('utf8', start, facts.indexOf(TAB_BYTE, start))
    return this.#revisionOf(row, JSON.parse(text))
  }

  #readable(): Buffer {
    if (this.#facts[0] !== COMPRESSED_BYTE) return this.#facts
    return inflateRawSync(Buffer.from(this.#facts.toString('latin1', 1), 'base64'))
  }

  #revisionOf(row: number, facts: unknown): Revision | null {
    const [commit, digest] = [this.keys.commitAt(row), this.keys.digestAt(row)]
    if (digest === null) return null
    if (!isFacts(facts)) throw new TypeError('The index has another form')
    const [username, time, schemaVersion, serverEdition, serverVersion, subject, message] = facts
    const server = { schemaVersion, serverEdition, serverVersion }
    return { digest, commit, username, time, ...server, subject, message }
  }
}

function parentsIn(rows: unknown): readonly ParentsOfRow[] {
  return arrayIn(rows).map((each) => {
    const [row, parents] = arrayIn(each)
    const names = arrayIn(parents)
    if (typeof row === 'number' && names.every(isCommitSha)) return [row, names]
    throw new TypeError('The index has another form')
  })
}

function arrayIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new TypeError('The index has another form')
}

/** Checked by hand: zod would take too long for a hundred thousand of them at a start. */
function isFacts(value: unknown): value is Facts {
  if (!Array.isArray(value) || value.length !== FACTS.length) return false
  return FACTS.every((type, place) => typeof value[place] === type)
}
