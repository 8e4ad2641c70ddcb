import postgres from 'postgres'
import { pause } from '../lib/pause.ts'
import { databaseErrorKind, publicReason, wasRefused } from './postgres-errors.ts'
import type { SqlQuery, SqlRow } from './sql.ts'
import { storeUnavailable } from './unavailable.ts'
import { Socket } from 'node:net'

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

/** Where a database may be: hosts with their ports, or a socket of this machine. */
interface DatabaseAddress {
  readonly host: readonly string[]
  readonly port: readonly number[]
  readonly path?: string | false
}

/**
 * A database that is back should be found soon, and a caller that cannot wait should be refused
 * soon.
 */
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 500

/** The sockets of a client of PostgreSQL. After some that came to nothing, the next one waits a little. */
class PostgresSockets implements Disposable {
  readonly #sockets = new Set<Socket>()
  readonly #end = new AbortController()
  #opened = 0
  /** The number of connections in a row that were closed before any data came. */
  #failures = 0

  /** A connecting socket. Writes wait until it is connected. */
  readonly open = async ({ host, port, path }: DatabaseAddress): Promise<Socket> => {
    await this.#pauseAfterFailures()
    const which = this.#opened % Math.max(host.length, 1)
    this.#opened += 1
    // The client reads the name for the certificate from the socket.
    const place = { host: host[which] ?? 'localhost', port: port[which] ?? 0 }
    const socket = Object.assign(new Socket(), place)
    this.#watch(socket)
    // The opener must be able to listen for its end.
    if (this.#end.signal.aborted) setImmediate(() => socket.destroy())
    else if (typeof path === 'string') socket.connect(path)
    else socket.connect(place.port, place.host)
    return socket
  };

  /** Closes all sockets, with pending queries. */
  [Symbol.dispose](): void {
    this.#end.abort()
    for (const socket of this.#sockets) socket.destroy()
  }

  async #pauseAfterFailures(): Promise<void> {
    if (this.#failures === 0) return
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, MAX_PAUSE_MS), this.#end.signal)
  }

  #watch(socket: Socket): void {
    let isHeard = false
    this.#sockets.add(socket)
    socket.once('data', () => {
      isHeard = true
      this.#failures = 0
    })
    // A proxy whose database is down accepts a connection and closes it: the client would retry
    // without a pause, and report nothing.
    socket.once('end', () => {
      if (!isHeard) socket.destroy(Object.assign(new Error('closed'), { code: 'ECONNREFUSED' }))
    })
    socket.once('close', () => {
      this.#sockets.delete(socket)
      if (!isHeard) this.#failures += 1
    })
  }
}
