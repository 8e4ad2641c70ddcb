import postgres from 'postgres'
import { pause } from '../lib/pause.ts'
import { databaseErrorKind, publicReason, wasRefused } from './postgres-errors.ts'
import { PostgresSockets } from './postgres-sockets.ts'
import type { SqlQuery, SqlRow } from './sql.ts'
import { storeUnavailable } from './unavailable.ts'

type Client = postgres.Sql<{ int8: number }>
type Reserved = postgres.ReservedSql<{ int8: number }>

/** Callers wait for it, and so does the end of the service. */
const CONNECT_TIMEOUT_SECONDS = 5
/** A connection may be cut silently; without a timeout the wait for an answer would never end. */
const ANSWER_TIMEOUT_MS = 15_000
/** The time for pending queries when the service ends. */
const END_TIMEOUT_SECONDS = 5

/**
 * A connection that one caller has for itself, until it is closed. The client would write to one
 * that is, and hand out one that is released after that.
 */
export interface OwnConnection {
  readonly query: SqlQuery
  readonly release: () => void
}

interface OpenedClient {
  readonly sql: Client
  readonly sockets: PostgresSockets
  isConnected: boolean
  /** The number of pending queries. */
  waiting: number
}

/**
 * Connections to a database. All of them are retired when one is closed or does not answer: the
 * client of `postgres` 3.4 keeps unwritten queries of a closed connection, and never writes them
 * again.
 */
export class Connections {
  readonly #url: string
  readonly #max: number
  /** Retired clients with pending queries. */
  readonly #retired = new Set<OpenedClient>()
  #opened: OpenedClient
  #isOver = false

  constructor(url: string, max: number) {
    this.#url = url
    this.#max = max
    this.#opened = this.#open()
  }

  readonly query: SqlQuery = (text, ...values) =>
    this.#ask(this.#opened, this.#opened.sql, [text, ...values])

  /** Only where there is one connection: a close event belongs to it. */
  async reserve(): Promise<OwnConnection> {
    const opened = this.#opened
    const isClosed = () => this.#opened !== opened
    const assertOpen = () => {
      if (isClosed()) throw lost('the connection was lost')
    }
    await this.#connect(opened)
    assertOpen()
    const connection = await this.#answer(opened, opened.sql.reserve())
    return {
      query: async (...asked) => {
        assertOpen()
        return this.#ask(opened, connection, asked)
      },
      release: () => {
        if (!isClosed()) connection.release()
      },
    }
  }

  async end(): Promise<void> {
    this.#isOver = true
    const retired = [...this.#retired].map((opened) => this.#end(opened, 0))
    await Promise.all([...retired, this.#end(this.#opened, END_TIMEOUT_SECONDS)])
  }

  /** A client that fetches no types reserves a connection only where there is one. */
  async #connect(opened: OpenedClient): Promise<void> {
    if (opened.isConnected) return
    await this.#ask(opened, opened.sql, ['SELECT 1'])
    opened.isConnected = true
  }

  #open(): OpenedClient {
    const sockets = new PostgresSockets()
    const options = {
      max: this.#max,
      socket: sockets.open,
      onclose: () => this.#retire(opened),
      connect_timeout: CONNECT_TIMEOUT_SECONDS,
      onnotice: () => undefined,
      // The client fetches array types by a query that it does not await: when the connection is
      // lost in the middle of it, the rejection would be unhandled and end the process.
      fetch_types: false,
      types: { int8: { to: 20, from: [20], serialize: String, parse: Number } },
    }
    const opened = { sql: postgres(this.#url, options), sockets, isConnected: false, waiting: 0 }
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
    const late = pause(ANSWER_TIMEOUT_MS, known.signal).then(() => null)
    opened.waiting += 1
    try {
      const answer = await Promise.race([asked.then((value) => ({ value })), late])
      if (answer !== null) return answer.value
    } catch (error) {
      // The client hears of the close a moment later, and writes to a connection until then.
      if (databaseErrorKind(error) !== null && !wasRefused(error)) this.#retire(opened)
      return rethrown(error)
    } finally {
      known.abort()
      opened.waiting -= 1
      this.#endWhenUnused(opened)
    }
    this.#retire(opened)
    // Rejects all other queries that wait for an answer there.
    this.#drop(opened)
    throw lost(`no answer for ${ANSWER_TIMEOUT_MS / 1_000} s`)
  }

  /** Takes a client out of use: later queries go to another one. */
  #retire(opened: OpenedClient): void {
    if (this.#opened !== opened || this.#isOver) return
    this.#opened = this.#open()
    this.#retired.add(opened)
    this.#endWhenUnused(opened)
  }

  #endWhenUnused(opened: OpenedClient): void {
    if (this.#retired.has(opened) && opened.waiting === 0) this.#drop(opened)
  }

  #drop(opened: OpenedClient): void {
    this.#end(opened, 0).catch(() => undefined)
  }

  /** Never fails. */
  async #end(opened: OpenedClient, timeout: number): Promise<void> {
    const { sql, sockets } = opened
    this.#retired.delete(opened)
    await sql.end({ timeout }).catch(() => undefined)
    sockets[Symbol.dispose]()
  }
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

/** Callers get an error; its cause goes to the log. A bug of this program stays as it is. */
function rethrown(error: unknown): never {
  const kind = databaseErrorKind(error)
  if (kind === null || kind === 'fault' || !(error instanceof Error)) throw error
  throw storeUnavailable(`PostgreSQL: ${publicReason(error)}`, { cause: error })
}

/** An error of the connection, by a code as the client's own errors have one. */
function lost(reason: string): Error {
  const cause = Object.assign(new Error(reason), { code: 'NO_ANSWER' })
  return storeUnavailable(`PostgreSQL: ${reason}`, { cause })
}
