import type { Edit, LineOrigins } from '../../diff/line-origins.ts'
import type { IndexDatabase } from '../database/index-database.ts'
import { checked, checkedIn } from '../database/index-rows.ts'
import { rowIdOf } from '../database/row-ids.ts'
import type { Step } from './step.ts'
import { packNumbers, unpackNumbers } from '../database/varints.ts'

/** The edits that made a revision, upon each of its bases. */
export interface EditRecord {
  readonly number: number
  readonly bases: readonly number[]
  readonly edits: readonly Edit[]
}

export function editRecordOf({ number, bases, scripts }: Step): EditRecord {
  const edits = scripts.map(({ before, after, changes }) => ({
    before: { count: before.count },
    after: { count: after.count },
    changes,
  }))
  return { number, bases, edits }
}

const EDITS = 'CREATE TABLE edits (id INTEGER PRIMARY KEY, packed BLOB NOT NULL) STRICT'
/** Keyed upwards, since they are stored from the oldest revision on. */
const ORIGINS = 'CREATE TABLE origins (number INTEGER PRIMARY KEY, packed BLOB NOT NULL) STRICT'

/** The lines that each revision replaced, and for some revisions the one that wrote each line. */
export class EditTable {
  static readonly tables = [EDITS, ORIGINS]
  readonly #database: IndexDatabase

  constructor(database: IndexDatabase) {
    this.#database = database
  }

  /** Null for a revision that was not walked. */
  find(number: number): EditRecord | null {
    return this.#database.read(() => {
      const [row] = this.#database.rows('SELECT packed FROM edits WHERE id = ?', rowIdOf(number))
      return row === undefined ? null : unpackEdits(number, unpackNumbers(checkedIn(row, 'packed')))
    }, null)
  }

  /** Whether the origins of a revision are stored. */
  hasOrigins(number: number): boolean {
    return this.#database.rows('SELECT 1 FROM origins WHERE number = ?', number).length > 0
  }

  origins(number: number): LineOrigins | null {
    return this.#database.read(() => {
      const [row] = this.#database.rows('SELECT packed FROM origins WHERE number = ?', number)
      return row === undefined ? null : unpackOrigins(unpackNumbers(checkedIn(row, 'packed')))
    }, null)
  }

  put(record: EditRecord): void {
    const packed = checked(packNumbers(packEdits(record)))
    this.#database.run('INSERT OR REPLACE INTO edits VALUES (?, ?)', rowIdOf(record.number), packed)
  }

  putOrigins(number: number, origins: LineOrigins): void {
    const packed = checked(packNumbers(packOrigins(origins)))
    this.#database.run('INSERT OR REPLACE INTO origins VALUES (?, ?)', number, packed)
  }

  dropAbove(number: number): void {
    this.#database.run('DELETE FROM edits WHERE id < ?', rowIdOf(number))
    this.#database.run('DELETE FROM origins WHERE number > ?', number)
  }
}

/** For each edit how far back its base is, the lines before and after, how many changes, and these. */
function* packEdits({ number, bases, edits }: EditRecord): Generator<number> {
  for (const [n, { before, after, changes }] of edits.entries()) {
    yield number - (bases[n] ?? number)
    yield* [before.count, after.count, changes.length]
    let [from, to] = [0, 0]
    for (const change of changes) {
      yield* [change.before.start - from, change.before.end - change.before.start]
      yield* [change.after.start - to, change.after.end - change.after.start]
      ;[from, to] = [change.before.end, change.after.end]
    }
  }
}

function unpackEdits(number: number, packed: readonly number[]): EditRecord {
  const bases: number[] = []
  const edits: Edit[] = []
  let at = 0
  const next = () => packed[at++] ?? 0
  while (at < packed.length) {
    const back = next()
    if (back > 0) bases.push(number - back)
    const [before, after, count] = [next(), next(), next()]
    let [from, to] = [0, 0]
    const changes = Array.from({ length: count }, () => {
      const beforeStart = from + next()
      from = beforeStart + next()
      const afterStart = to + next()
      to = afterStart + next()
      return { before: { start: beforeStart, end: from }, after: { start: afterStart, end: to } }
    })
    edits.push({ before: { count: before }, after: { count: after }, changes })
  }
  return { number, bases, edits }
}

/** Consecutive lines mostly have one origin: pairs of an origin and how many lines have it. */
function* packOrigins(origins: LineOrigins): Generator<number> {
  let start = 0
  for (let line = 1; line <= origins.length; line += 1) {
    if (line < origins.length && origins[line] === origins[start]) continue
    yield* [origins[start] ?? 0, line - start]
    start = line
  }
}

function unpackOrigins(pairs: readonly number[]): LineOrigins {
  const count = pairs.reduce((sum, each, n) => sum + (n % 2 === 1 ? each : 0), 0)
  const origins = new Int32Array(count)
  let line = 0
  for (let n = 0; n < pairs.length; n += 2) {
    const end = line + (pairs[n + 1] ?? 0)
    origins.fill(pairs[n] ?? 0, line, end)
    line = end
  }
  return origins
}
