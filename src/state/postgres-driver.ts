import postgres from 'postgres'
import {
  type Driver,
  type SqlQuery,
  type StoreSnapshot,
  type WriteSession,
  textColumn,
} from './sql.ts'
import { storeUnavailable } from './unavailable.ts'

type Client = postgres.Sql<{ int8: number }>
type Reserved = postgres.ReservedSql<{ int8: number }>

// An arbitrary constant: the servers on one database use it to take turns at writing.
const WRITER_LOCK = 0x43_41_49_52
// The SQLSTATE classes of an engine failure and of a refused connection, and the client's own codes
// of a lost one.
const OUTAGES =
  /^(?:08|25P03|28|3D|42501|53|57P|58|XX)|^(?:CONNECTION_|CONNECT_TIMEOUT|ECONN|ENOTFOUND|ENOENT|EHOST|EAI_)/
// A process that hangs inside a transaction must not keep the others from writing.
const LONGEST_IDLE_MS = 5_000
// Seconds. A database that is back is to be found soon, and who cannot wait is to be refused soon.
const LONGEST_PAUSE = 0.5
const LOCK = `SELECT set_config('idle_in_transaction_session_timeout', '${LONGEST_IDLE_MS}', true),
  pg_advisory_xact_lock(?)`

/** Throws in a transaction that this process may not make any more. */
export type Fence = (query: SqlQuery) => Promise<void>

/** A PostgreSQL database that several servers may share; one of them writes at a time. */
export class PostgresDriver implements Driver {
  readonly textType = 'TEXT COLLATE "C"'
  readonly query: SqlQuery
  readonly #client: Client
  readonly #fence: Fence
  /** Has one connection, so that a close is that of the open session. */
  readonly #writer: Client
  #writerClosed = 0

  constructor(url: string, fence: Fence = async () => undefined) {
    this.#fence = fence
    this.#client = openClient(url, { max: 4 })
    const onclose = () => (this.#writerClosed += 1)
    this.#writer = openClient(url, { max: 1, onclose })
    this.query = queryOn(this.#client)
  }

  async begin(): Promise<WriteSession> {
    const connection = await reserved(this.#writer)
    const closed = this.#writerClosed
    const session = sessionOn(connection, () => this.#writerClosed !== closed)
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
    const connection = await reserved(this.#client)
    const query = queryOn(connection)
    await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    return {
      query,
      [Symbol.asyncDispose]: async () => {
        await query('COMMIT').finally(() => {
          connection.release()
        })
      },
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
    await Promise.all([this.#writer, this.#client].map((client) => client.end({ timeout: 5 })))
  }
}

function openClient(url: string, options: { max: number; onclose?: () => void }): Client {
  return postgres(url, {
    ...options,
    connect_timeout: 10,
    backoff: pauseBefore,
    onnotice: () => undefined,
    types: { int8: { to: 20, from: [20], serialize: String, parse: Number } },
  })
}

/** Seconds before another attempt to connect: whoever asks meanwhile waits for it. */
function pauseBefore(attempt: number): number {
  return Math.min(0.05 * 2 ** attempt, LONGEST_PAUSE)
}

function reserved(client: Client): Promise<Reserved> {
  return client.reserve().catch(rethrown)
}

/**
 * A session that ends with its connection. The client would write to a connection that is closed,
 * and hand out one that is released after that.
 */
function sessionOn(connection: Reserved, isClosed: () => boolean): WriteSession {
  const send = queryOn(connection)
  const query: SqlQuery = async (...asked) => {
    if (isClosed()) throw storeUnavailable('PostgreSQL: the connection was lost')
    return send(...asked)
  }
  let open = true
  const end = async (statement: string): Promise<void> => {
    if (!open) return
    open = false
    await query(statement).finally(() => {
      if (!isClosed()) connection.release()
    })
  }
  return { query, commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') }
}

function queryOn(client: Client | Reserved): SqlQuery {
  return (text, ...values) =>
    client.unsafe(numbered(text), [...values], { prepare: true }).then((rows) => rows, rethrown)
}

const numberedTexts = new Map<string, string>()

/** The store's statements use `?` for values; PostgreSQL numbers them. */
function numbered(text: string): string {
  const cached = numberedTexts.get(text)
  if (cached !== undefined) return cached
  let count = 0
  const renumbered = text.replace(/\?/g, () => `$${(count += 1)}`)
  numberedTexts.set(text, renumbered)
  return renumbered
}

function rethrown(error: unknown): never {
  if (!(error instanceof Error)) throw error
  const code = 'code' in error ? String(error.code) : ''
  if (!OUTAGES.test(code)) throw error
  throw storeUnavailable(`PostgreSQL: ${error.message || code}`, { cause: error })
}
