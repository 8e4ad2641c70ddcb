import { unavailable } from '../core/errors.ts'
import { CommitSha } from '../core/revision.ts'
import type { LogAppend, LogEntry, RevisionLog } from '../history/log/revision-log.ts'
import {
  type Driver,
  type SqlQuery,
  type SqlRow,
  type WriteSession,
  numberOf,
  textColumn,
} from '../state/sql.ts'

/** A value of the database has at most 1 GB, and is held in memory as a whole. */
const PART_BYTES = 8 * 1024 * 1024
/** How many commits, or packs, one statement asks for. */
const MANY = 1_000
/** How many bytes of packs one statement asks for, unless a single one has more. */
const READ_BYTES = 16 * 1024 * 1024

const HEAD = 'SELECT sequence, commit_sha FROM log_entry ORDER BY sequence DESC LIMIT 1'
const WEIGHTS = `SELECT sequence, SUM(octet_length(bytes)) AS size FROM log_pack WHERE sequence > ?
  GROUP BY sequence ORDER BY sequence LIMIT ${MANY}`
const PARTS = `SELECT sequence, bytes FROM log_pack WHERE sequence > ? AND sequence <= ?
  ORDER BY sequence, part`
const APPEND = 'INSERT INTO log_entry (sequence, commit_sha) VALUES (?, ?)'
const ADD_PART = 'INSERT INTO log_pack (sequence, part, bytes) VALUES (?, ?, ?)'

/** The log of the configuration's branch in PostgreSQL: one transaction for each move. */
export class PostgresLog implements RevisionLog {
  readonly #driver: Driver

  constructor(driver: Driver) {
    this.#driver = driver
  }

  head(): Promise<LogEntry | null> {
    return headOf(this.#driver.query)
  }

  async findNewest(commits: readonly CommitSha[]): Promise<LogEntry | null> {
    for (let start = 0; start < commits.length; start += MANY) {
      const some = commits.slice(start, start + MANY)
      const found = await newestOf(this.#driver.query, some)
      if (found !== null) return found
    }
    return null
  }

  async *packsAfter(sequence: number): AsyncGenerator<Uint8Array> {
    const { query } = this.#driver
    for (let after = sequence; ;) {
      const until = lastOfNext(await query(WEIGHTS, after))
      if (until === null) return
      yield* packsOf(await query(PARTS, after, until))
      after = until
    }
  }

  async append(move: LogAppend): Promise<boolean> {
    const session = await this.#driver.begin()
    try {
      return await appendIn(session, move)
    } catch (error) {
      // The connection may be lost after the commit: then only the log knows.
      if (await this.#has(move.to, error)) return true
      throw error
    }
  }

  /** Whether the log has a commit whose append has failed; waits for a transaction that is still open. */
  async #has(commit: CommitSha, cause: unknown): Promise<boolean> {
    try {
      const session = await this.#driver.begin()
      const found = await newestOf(session.query, [commit])
      await session.rollback()
      return found !== null
    } catch {
      throw unavailable(
        `The database went away: whether commit ${commit} was saved is known when it is back`,
        cause,
      )
    }
  }
}

async function appendIn(session: WriteSession, { from, to, pack }: LogAppend): Promise<boolean> {
  try {
    const head = await headOf(session.query)
    if ((head?.commit ?? null) !== from) {
      await session.rollback()
      return head?.commit === to
    }
    const sequence = (head?.sequence ?? 0) + 1
    await session.query(APPEND, sequence, to)
    for (let part = 0; part * PART_BYTES < pack.length; part += 1) {
      const bytes = pack.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)
      await session.query(ADD_PART, sequence, part, bytes)
    }
    await session.commit()
    return true
  } catch (error) {
    await session.rollback()
    throw error
  }
}

/** The last of the next packs that are read at once; null when there is none. */
function lastOfNext(rows: readonly SqlRow[]): number | null {
  let [last, size]: [number | null, number] = [null, 0]
  for (const row of rows) {
    size += numberOf(row, 'size')
    if (last !== null && size > READ_BYTES) break
    last = numberOf(row, 'sequence')
  }
  return last
}

/** Puts the parts of each pack together. */
function* packsOf(rows: readonly SqlRow[]): Generator<Uint8Array> {
  for (let at = 0; at < rows.length;) {
    const sequence = rows[at]?.['sequence']
    const end = rows.findIndex((row, place) => place > at && row['sequence'] !== sequence)
    const parts = rows.slice(at, end < 0 ? rows.length : end)
    yield Buffer.concat(parts.map(bytesOf))
    at += parts.length
  }
}

async function headOf(query: SqlQuery): Promise<LogEntry | null> {
  const [row] = await query(HEAD)
  return row === undefined ? null : entryOf(row)
}

async function newestOf(query: SqlQuery, commits: readonly CommitSha[]): Promise<LogEntry | null> {
  const marks = commits.map(() => '?').join(', ')
  const [row] = await query(
    `SELECT sequence, commit_sha FROM log_entry WHERE commit_sha IN (${marks})
      ORDER BY sequence DESC LIMIT 1`,
    ...commits,
  )
  return row === undefined ? null : entryOf(row)
}

function entryOf(row: SqlRow): LogEntry {
  const commit = CommitSha.parse(textColumn(row, 'commit_sha'))
  return { sequence: numberOf(row, 'sequence'), commit }
}

function bytesOf({ bytes }: SqlRow): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes
  throw new TypeError(`A pack of the log is ${typeof bytes}, not bytes`)
}
