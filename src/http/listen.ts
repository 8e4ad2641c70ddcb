import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  getRequestListener,
  type Http2Bindings,
  type HttpBindings,
  RequestError,
} from '@hono/node-server'
import type { Log } from '../lib/log.ts'
import { json } from './errors.ts'

/** Longest waits for a client, in milliseconds: its headers, its whole request, and silence on the line. */
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 300_000
const IDLE_TIMEOUT_MS = 20_000
/** How often clients that take too long are looked for. */
const TIMEOUT_CHECK_INTERVAL_MS = 1_000
/** How often a closing server looks for connections that have become idle. */
const SWEEP_INTERVAL_MS = 50

const LIMITS = '/proc/self/limits'
/** Files that may be open where the system does not say. */
const ASSUMED_FILES = 1_024
/** File descriptors reserved for files and child processes. */
const OTHER_FILES = 128
const MIN_CONNECTIONS = 16
/** How often it is said that connections are refused. */
const LOG_INTERVAL_MS = 60_000

const MALFORMED = 'The request is not well-formed HTTP'
const INTERNAL = 'Internal server error'

/** Responses to input that is not valid HTTP, by error code. */
const REFUSALS: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['HPE_HEADER_OVERFLOW', ['431 Request Header Fields Too Large', 'The headers are too large']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'The request took too long']],
])

/** The connection behind a request. */
export type Connection = HttpBindings | Http2Bindings
export type Handler = (request: Request, connection: Connection) => Response | Promise<Response>

export interface ListeningOptions {
  readonly host: string
  readonly port: number
  /** Longest silence on the line while it is the client's turn, in milliseconds. */
  readonly idleAtMost?: number
  readonly log?: Log
}

/** A listening server; closing it lets the requests in flight finish. */
export class Listening implements AsyncDisposable {
  readonly port: number
  readonly #server: Server
  /** On which there was no request yet; node takes them for busy. */
  readonly #unused: ReadonlySet<Socket>

  private constructor(server: Server, unused: ReadonlySet<Socket>) {
    const address = server.address()
    this.#server = server
    this.#unused = unused
    this.port = typeof address === 'object' && address ? address.port : 0
  }

  /** @throws the system's error when the address cannot be listened on. */
  static async open(
    answer: Handler,
    { host, port, idleAtMost = IDLE_TIMEOUT_MS, log }: ListeningOptions,
  ): Promise<Listening> {
    const errorHandler = (error: unknown) => {
      if (error instanceof RequestError) return json({ message: MALFORMED }, 400)
      reportUnanswered(log, error)
      return json({ message: INTERNAL }, 500)
    }
    // A request of HTTP/1.0 names no host.
    const listener = getRequestListener(answer, { errorHandler, hostname: 'localhost' })
    const limits = {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: idleAtMost,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    }
    const newest = new WeakMap<Socket, HttpBindings>()
    const unused = new Set<Socket>()
    // A client may close its half when it has said everything, and wait for the answer.
    const server = Object.assign(createServer(limits), { httpAllowHalfOpen: true })
    server.on('connection', (socket) => {
      unused.add(socket)
      socket.once('close', () => unused.delete(socket))
    })
    server.on('request', (incoming, outgoing) => {
      unused.delete(incoming.socket)
      newest.set(incoming.socket, { incoming, outgoing })
      endRead(incoming)
    })
    server.on('request', (incoming, outgoing) => {
      listener(incoming, outgoing).catch((error: unknown) => {
        reportUnanswered(log, error)
        outgoing.destroy()
      })
    })
    server.setTimeout(idleAtMost, (socket) => {
      if (!isOurTurn(newest.get(socket))) socket.destroy()
    })
    server.on('clientError', refuse)
    server.maxConnections = connectionsAtMost(filesAtMost())
    if (log) server.on('drop', tellNowAndThen(log, server.maxConnections))
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
    return new Listening(server, unused)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    // A connection whose answer is on its way becomes idle only after it.
    const sweep = setInterval(() => {
      this.#server.closeIdleConnections()
      for (const socket of this.#unused) if (socket.bytesRead === 0) socket.destroy()
    }, SWEEP_INTERVAL_MS)
    this.#server.closeIdleConnections()
    await closed
    clearInterval(sweep)
  }
}

/**
 * How many connections leave room for files and programs: without descriptors the service could
 * neither save nor poll, and anybody can open connections.
 */
export function connectionsAtMost(files: number): number {
  return Math.max(MIN_CONNECTIONS, files - Math.max(OTHER_FILES, Math.ceil(files / 4)))
}

/** How many files this process may have open. */
function filesAtMost(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync(LIMITS, 'utf8')) ?? []
    return Number(limit ?? ASSUMED_FILES)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return ASSUMED_FILES
    throw error
  }
}

function tellNowAndThen(log: Log, most: number): () => void {
  let saidAt = -Infinity
  return () => {
    const now = performance.now()
    if (now - saidAt < LOG_INTERVAL_MS) return
    saidAt = now
    const message = `More than ${most} connections at once: further ones are refused`
    log({ level: 'warning', message })
  }
}

function reportUnanswered(log: Log | undefined, error: unknown): void {
  log?.({ level: 'error', message: 'A request could not be answered', facts: { error } })
}

/**
 * A request without a body has nothing to be read. Node does not know that before it is asked for
 * it, and takes four turns to throw nothing away: a tenth of a small answer.
 */
function endRead(incoming: IncomingMessage): void {
  const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers
  if (length === undefined && coding === undefined) incoming.read()
}

/** Whether the client has said everything and waits for an answer that has not begun. */
function isOurTurn(connection: HttpBindings | undefined): boolean {
  return connection?.incoming.complete === true && !connection.outgoing.headersSent
}

/** Answers what is not even a request, and ends the connection. */
function refuse(error: Error, socket: Duplex): void {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = REFUSALS.get(code) ?? ['400 Bad Request', MALFORMED]
  const body = JSON.stringify({ message })
  const type = 'Content-Type: application/json; charset=utf-8'
  const head = [`HTTP/1.1 ${status}`, type, `Content-Length: ${body.length}`, 'Connection: close']
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
