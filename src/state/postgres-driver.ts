import { Connections, type OwnConnection } from './postgres-connections.ts'
import {
  type Driver,
  type SqlQuery,
  type StoreSnapshot,
  type WriteSession,
  textColumn,
} from './sql.ts'

// An arbitrary constant: the servers on one database use it to take turns at writing.
export const WRITER_LOCK = 0x43_41_49_52
// A process that hangs inside a transaction must not keep the others from writing.
const IDLE_TIMEOUT_MS = 2_000
/**
 * The database gives up before its client does, so that a running statement is not sent a second
 * time.
 */
const STATEMENT_TIMEOUT_MS = 10_000
const LOCK = `SELECT set_config('idle_in_transaction_session_timeout', '${IDLE_TIMEOUT_MS}', true),
  set_config('statement_timeout', '${STATEMENT_TIMEOUT_MS}', true), pg_advisory_xact_lock(?)`

/** Throws in a transaction that this process may not make any more. */
export type Fence = (query: SqlQuery) => Promise<void>

/** A PostgreSQL database that several servers may share; one of them writes at a time. */
export class PostgresDriver implements Driver {
  readonly textType = 'TEXT COLLATE "C"'
  readonly numberedKey = 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY'
  readonly query: SqlQuery
  readonly #fence: Fence
  readonly #url: string
  readonly #readers: Connections
  /** Writes over one connection, so that a close event belongs to the open session. */
  readonly #writer: Connections

  constructor(url: string, fence: Fence = async () => undefined) {
    this.#fence = fence
    this.#url = url
    this.#readers = new Connections(url, 4)
    this.#writer = new Connections(url, 1)
    this.query = this.#readers.query
  }

  async begin(): Promise<WriteSession> {
    const session = sessionOn(await this.#writer.reserve())
    try {
      await session.query('BEGIN')
      await session.query(LOCK, WRITER_LOCK)
      await this.#fence(session.query)
      return session
    } catch (error) {
      // A connection that is lost has nothing to roll back.
      await session.rollback().catch(() => undefined)
      throw error
    }
  }

  async snapshot(): Promise<StoreSnapshot> {
    const own = new Connections(this.#url, 1)
    try {
      const { query, release } = await own.reserve()
      await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      const end = async () => {
        // A transaction that only reads loses nothing when its end is lost.
        await query('COMMIT').catch(() => undefined)
        release()
        await own.end()
      }
      return { query, [Symbol.asyncDispose]: end }
    } catch (error) {
      await own.end()
      throw error
    }
  }

  /** PostgreSQL's own tools check its files. */
  async integrity(): Promise<readonly string[]> {
    return []
  }

  async tables(): Promise<readonly string[]> {
    const rows = await this.query(
      'SELECT tablename FROM pg_tables WHERE schemaname = current_schema()',
    )
    return rows.map((row) => textColumn(row, 'tablename'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#writer, this.#readers].map((each) => each.end()))
  }
}

/** A session that ends with its connection. */
function sessionOn({ query, release }: OwnConnection): WriteSession {
  let open = true
  const end = async (statement: string): Promise<void> => {
    if (!open) return
    open = false
    await query(statement).finally(release)
  }
  return { query, commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') }
}
