import postgres from 'postgres'
import { ServiceError } from '../core/errors.ts'
import { pause } from '../lib/pause.ts'
import {
  type Driver,
  type SqlQuery,
  type SqlRow,
  type StoreSnapshot,
  type WriteSession,
  textColumn,
} from './sql.ts'
import { storeUnavailable } from './unavailable.ts'

type Client = postgres.Sql<{ int8: number }>
type Reserved = postgres.ReservedSql<{ int8: number }>

// An arbitrary constant: the servers on one database use it to take turns at writing.
export const WRITER_LOCK = 0x43_41_49_52
// The SQLSTATE classes of an engine failure and of a refused connection, and the client's own codes
// of a lost one.
const OUTAGES =
  /^(?:08|25P03|28|3D|42501|53|57014|57P|58|XX)|^(?:CONNECTION_|CONNECT_TIMEOUT|ECONN|ENOTFOUND|ENOENT|EHOST|EAI_)/
// A process that hangs inside a transaction must not keep the others from writing.
const LONGEST_IDLE_MS = 2_000
// Seconds. A database that is back is to be found soon, and who cannot wait is to be refused soon.
const LONGEST_PAUSE = 0.5
/** A connection may be cut without a word; then nobody else would end the wait for an answer. */
const LONGEST_ANSWER_MS = 15_000
/** The database gives up before that, so that what it still does is not asked for a second time. */
const LONGEST_STATEMENT_MS = 10_000
const LOCK = `SELECT set_config('idle_in_transaction_session_timeout', '${LONGEST_IDLE_MS}', true),
  set_config('statement_timeout', '${LONGEST_STATEMENT_MS}', true), pg_advisory_xact_lock(?)`

/** Throws in a transaction that this process may not make any more. */
export type Fence = (query: SqlQuery) => Promise<void>

/** A PostgreSQL database that several servers may share; one of them writes at a time. */
export class PostgresDriver implements Driver {
  readonly textType = 'TEXT COLLATE "C"'
  readonly query: SqlQuery
  readonly #fence: Fence
  readonly #url: string
  readonly #readers: Connections
  /** Has one connection, so that a close is that of the open session. */
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
        // What only reads has nothing to lose when its end gets lost.
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

/** Seconds before another attempt to connect: whoever asks meanwhile waits for it. */
function pauseBefore(attempt: number): number {
  return Math.min(0.05 * 2 ** attempt, LONGEST_PAUSE)
}

/**
 * A connection that one caller has for itself, until it is closed. The client would write to one
 * that is, and hand out one that is released after that.
 */
interface OwnConnection {
  readonly query: SqlQuery
  readonly release: () => void
}

interface OpenedClient {
  readonly sql: Client
  closes: number
  /** After how many closes it was connected last. */
  connectedAfter: number
}

/** Connections to a database. All of them are put aside when one gives no answer. */
class Connections {
  readonly #url: string
  readonly #max: number
  #opened: OpenedClient

  constructor(url: string, max: number) {
    this.#url = url
    this.#max = max
    this.#opened = this.#open()
  }

  readonly query: SqlQuery = (text, ...values) =>
    this.#ask(this.#opened, this.#opened.sql, [text, ...values])

  /** Only where there is one connection: a close is that of this one then. */
  async reserve(): Promise<OwnConnection> {
    const opened = this.#opened
    await this.#connect(opened)
    const { sql, closes } = opened
    const connection = await this.#answer(opened, sql.reserve())
    const isClosed = () => opened.closes !== closes || this.#opened !== opened
    return {
      query: async (...asked) => {
        if (isClosed()) throw storeUnavailable('PostgreSQL: the connection was lost')
        return this.#ask(opened, connection, asked)
      },
      release: () => {
        if (!isClosed()) connection.release()
      },
    }
  }

  async end(): Promise<void> {
    await this.#opened.sql.end({ timeout: 5 })
  }

  /** A client that asks for no types reserves a connection only where there is one. */
  async #connect(opened: OpenedClient): Promise<void> {
    const { closes, connectedAfter } = opened
    if (connectedAfter === closes) return
    await this.#ask(opened, opened.sql, ['SELECT 1'])
    opened.connectedAfter = closes
  }

  #open(): OpenedClient {
    const sql = postgres(this.#url, {
      max: this.#max,
      onclose: () => (opened.closes += 1),
      connect_timeout: 10,
      backoff: pauseBefore,
      onnotice: () => undefined,
      // The client asks for types of arrays by a query that it does not wait for: where the connection
      // is lost in the middle of it, nobody would take the error, and the process would end.
      fetch_types: false,
      types: { int8: { to: 20, from: [20], serialize: String, parse: Number } },
    })
    const opened = { sql, closes: 0, connectedAfter: -1 }
    return opened
  }

  #ask(
    opened: OpenedClient,
    connection: Client | Reserved,
    [text, ...values]: Parameters<SqlQuery>,
  ): Promise<readonly SqlRow[]> {
    const asked = connection.unsafe(numbered(text), values, { prepare: true })
    return this.#answer(
      opened,
      asked.then((rows) => rows),
    )
  }

  /** Waits for an answer, but not for ever. */
  async #answer<T>(opened: OpenedClient, asked: Promise<T>): Promise<T> {
    const known = new AbortController()
    const late = pause(LONGEST_ANSWER_MS, known.signal).then(() => null)
    try {
      const answer = await Promise.race([asked.then((value) => ({ value })), late])
      if (answer !== null) return answer.value
    } catch (error) {
      return rethrown(error)
    } finally {
      known.abort()
    }
    this.#putAside(opened)
    throw storeUnavailable(`PostgreSQL: no answer for ${LONGEST_ANSWER_MS / 1_000} s`)
  }

  #putAside(opened: OpenedClient): void {
    if (this.#opened !== opened) return
    this.#opened = this.#open()
    // Whoever else waits for an answer there is told that it does not come.
    opened.sql.end({ timeout: 0 }).catch(() => undefined)
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

/** Whether the database itself has refused a statement, so that nothing of it was done. */
export function wasRefused(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error
  return cause instanceof postgres.PostgresError && cause.severity === 'ERROR'
}

/** Callers hear of errors, so what the client says of an address is left out; the log has the cause. */
function rethrown(error: unknown): never {
  if (!(error instanceof Error)) throw error
  const code = 'code' in error ? String(error.code) : ''
  if (!OUTAGES.test(code)) throw error
  const reason = error instanceof postgres.PostgresError ? withoutHost(error.message) : code
  throw storeUnavailable(`PostgreSQL: ${reason}`, { cause: error })
}

function withoutHost(message: string): string {
  return message.replace(/ for host "[^"]*"/, '')
}
