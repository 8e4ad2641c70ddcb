import { unavailable } from '../core/errors.ts'
import type { CommitSha } from '../core/revision.ts'
import type {
  LogAppend,
  LogBase,
  LogEntry,
  LogPack,
  LogWeight,
  RevisionLog,
} from '../history/log/revision-log.ts'
import type { Fence } from '../state/postgres-driver.ts'
import { type Driver, type SqlQuery, type WriteSession, numberOf } from '../state/sql.ts'
import { findLogFaults } from './log-faults.ts'
import { readPacks } from './log-reading.ts'
import { rebase } from './log-rebase.ts'
import { addAuditEntry } from './postgres-audit.ts'
import { baseIn, entryOf, headIn, PART_BYTES } from './log-rows.ts'

/** How many commits one statement asks for. */
const MANY = 1_000

const APPEND = 'INSERT INTO log_entry (sequence, commit_sha) VALUES (?, ?)'
const ADD_PART = 'INSERT INTO log_pack (sequence, part, bytes) VALUES (?, ?, ?)'
const SIZE = 'SELECT COALESCE(SUM(octet_length(bytes)), 0) AS size FROM log_pack'

/** The log of the configuration's branch in PostgreSQL: one transaction for each move. */
export class PostgresLog implements RevisionLog {
  readonly #driver: Driver
  readonly #fence: Fence

  /** A base is made by the server that the fence lets through; every server may append. */
  constructor(driver: Driver, fence: Fence = async () => undefined) {
    this.#driver = driver
    this.#fence = fence
  }

  head(): Promise<LogEntry | null> {
    return headIn(this.#driver.query)
  }

  async findNewest(commits: readonly CommitSha[]): Promise<LogEntry | null> {
    for (let start = 0; start < commits.length; start += MANY) {
      const some = commits.slice(start, start + MANY)
      const found = await newestIn(this.#driver.query, some)
      if (found !== null) return found
    }
    return null
  }

  /** What is read at one moment belongs together, whoever puts a base in force meanwhile. */
  async *packsAfter(sequence: number): AsyncGenerator<LogPack> {
    await using snapshot = await this.#driver.snapshot()
    yield* readPacks(snapshot.query, sequence)
  }

  async append(move: LogAppend): Promise<number | null> {
    const session = await this.#driver.begin()
    try {
      return await appendIn(session, move)
    } catch (error) {
      // The connection may be lost after the commit: then only the log knows.
      const found = await this.#find(move.to, error)
      if (found !== null) return found.sequence
      throw error
    }
  }

  async weigh(): Promise<LogWeight | null> {
    await using snapshot = await this.#driver.snapshot()
    const head = await headIn(snapshot.query)
    if (head === null) return null
    const base = await baseIn(snapshot.query)
    const [row] = await snapshot.query(SIZE)
    const entries = head.sequence - (base?.sequence ?? 0)
    return { head, entries, bytes: numberOf(row, 'size'), baseBytes: base?.size ?? 0 }
  }

  rebase(base: LogBase): Promise<boolean> {
    return rebase(this.#driver, this.#fence, base)
  }

  async findFaults(): Promise<readonly string[]> {
    await using snapshot = await this.#driver.snapshot()
    return await findLogFaults(snapshot.query)
  }

  /** The entry of a commit whose append has failed; waits for a transaction that is still open. */
  async #find(commit: CommitSha, cause: unknown): Promise<LogEntry | null> {
    try {
      const session = await this.#driver.begin()
      const found = await newestIn(session.query, [commit])
      await session.rollback()
      return found
    } catch {
      throw unavailable(
        `The database went away: whether commit ${commit} was saved is known when it is back`,
        cause,
      )
    }
  }
}

async function appendIn(
  session: WriteSession,
  { from, to, pack, audit }: LogAppend,
): Promise<number | null> {
  try {
    const head = await headIn(session.query)
    if (head?.commit !== from) {
      await session.rollback()
      return head?.commit === to ? head.sequence : null
    }
    const sequence = head.sequence + 1
    await session.query(APPEND, sequence, to)
    for (let part = 0; part * PART_BYTES < pack.length; part += 1) {
      const bytes = pack.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)
      await session.query(ADD_PART, sequence, part, bytes)
    }
    if (audit !== null) await addAuditEntry(session.query, 'actions', audit)
    await session.commit()
    return sequence
  } catch (error) {
    await session.rollback()
    throw error
  }
}

async function newestIn(query: SqlQuery, commits: readonly CommitSha[]): Promise<LogEntry | null> {
  const marks = commits.map(() => '?').join(', ')
  const [row] = await query(
    `SELECT sequence, commit_sha FROM log_entry WHERE commit_sha IN (${marks})
      ORDER BY sequence DESC LIMIT 1`,
    ...commits,
  )
  return row === undefined ? null : entryOf(row)
}
