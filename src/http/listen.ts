import { readFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
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
import { noteMessage } from './request-body.ts'

/** Timeouts for a client: its headers, its whole request, and silence on the line. */
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 300_000
const IDLE_TIMEOUT_MS = 20_000
/** The interval of looking for clients that have timed out. */
const TIMEOUT_CHECK_INTERVAL_MS = 1_000
/** The interval at which a closing server looks for idle connections. */
const SWEEP_INTERVAL_MS = 50

const LIMITS = '/proc/self/limits'
/** The limit of open files where the system reports none. */
const ASSUMED_FILES = 1_024
/** File descriptors reserved for files and child processes. */
const OTHER_FILES = 128
const MIN_CONNECTIONS = 16
/** The interval of logging that connections are refused. */
const LOG_INTERVAL_MS = 60_000

const JSON_TYPE = 'application/json; charset=utf-8'
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
  /** The longest silence on the line while it is the client's turn, in milliseconds. */
  readonly idleTimeoutMs?: number
  readonly log?: Log
}

/** A listening server; closing it lets the requests in flight finish. */
export class Listening implements AsyncDisposable {
  readonly port: number
  readonly #server: Server
  /** Connections without a request so far, which node takes for busy. */
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
    { host, port, idleTimeoutMs = IDLE_TIMEOUT_MS, log }: ListeningOptions,
  ): Promise<Listening> {
    const errorHandler = (error: unknown) => {
      if (error instanceof RequestError) return json({ message: MALFORMED }, 400)
      reportUnanswered(log, error)
      return json({ message: INTERNAL }, 500)
    }
    // A request of HTTP/1.0 names no host.
    const noted: Handler = (request, connection) => {
      noteMessage(request, connection.incoming)
      return answer(request, connection)
    }
    const listener = getRequestListener(noted, { errorHandler, hostname: 'localhost' })
    const limits = {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: idleTimeoutMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      // Node would answer without a body.
      requireHostHeader: false,
    }
    const newest = new WeakMap<Socket, ServerResponse>()
    const begun = new WeakMap<Socket, HttpBindings>()
    const unused = new Set<Socket>()
    // A client may close its half after the request, and wait for the answer.
    const server = Object.assign(createServer(limits), { httpAllowHalfOpen: true })
    server.on('connection', (socket) => {
      unused.add(socket)
      socket.once('close', () => unused.delete(socket))
    })
    server.on('request', (incoming, outgoing) => {
      const { socket, httpVersion, headers } = incoming
      const former = newest.get(socket)
      newest.set(socket, outgoing)
      unused.delete(socket)
      if (httpVersion === '1.1' && headers.host === undefined) {
        refuseRequest(outgoing, 400, 'A request in HTTP/1.1 needs the header Host')
        return
      }
      const begin = () => {
        if (!socket.writable) return
        begun.set(socket, { incoming, outgoing })
        listener(incoming, outgoing).catch((error: unknown) => {
          reportUnanswered(log, error)
          outgoing.destroy()
        })
      }
      // A request that is sent before the answer to a save has come sees what was saved (RFC 9112, 9.3.2).
      if (former === undefined || former.closed) begin()
      else former.once('close', begin)
    })
    server.on('checkExpectation', ({ headers: { expect } }, outgoing) => {
      refuseRequest(outgoing, 417, `Expect is "${expect}"; it may be "100-continue"`)
    })
    server.setTimeout(idleTimeoutMs, (socket) => {
      const { bytesRead } = socket
      // Timers run before sockets are read: a request may have come in time.
      setImmediate(() => {
        if (socket.bytesRead === bytesRead && !isOurTurn(begun.get(socket))) socket.destroy()
      })
    })
    server.on('clientError', refuse)
    // Node would end the connection without a word.
    server.on('connect', (_request, socket) => refuse(new Error('A tunnel'), socket))
    server.maxConnections = maxConnections(maxFiles())
    if (log) {
      const message = `More than ${server.maxConnections} connections at once: further ones are refused`
      const warn = () => log({ level: 'warning', message })
      server.on('drop', throttled(warn, LOG_INTERVAL_MS))
    }
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
    return new Listening(server, unused)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    // A connection becomes idle only after its answer is sent.
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
 * The number of connections that leaves room for files and programs: without file descriptors the
 * service could neither save nor poll, and any client can open connections.
 */
function maxConnections(files: number): number {
  return Math.max(MIN_CONNECTIONS, files - Math.max(OTHER_FILES, Math.ceil(files / 4)))
}

/** The limit of open files of this process. */
function maxFiles(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync(LIMITS, 'utf8')) ?? []
    return Number(limit ?? ASSUMED_FILES)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return ASSUMED_FILES
    throw error
  }
}

/** Calls a function at most once in each interval. */
function throttled(call: () => void, intervalMs: number): () => void {
  let calledAt = -Infinity
  return () => {
    const now = performance.now()
    if (now - calledAt < intervalMs) return
    calledAt = now
    call()
  }
}

function reportUnanswered(log: Log | undefined, error: unknown): void {
  log?.({ level: 'error', message: 'A request could not be answered', facts: { error } })
}

/** Whether the request is complete and its answer has not begun. */
function isOurTurn(connection: HttpBindings | undefined): boolean {
  return connection?.incoming.complete === true && !connection.outgoing.headersSent
}

/** Answers a request that is refused before anybody looks at it. */
function refuseRequest(outgoing: ServerResponse, status: number, message: string): void {
  const headers = { 'content-type': JSON_TYPE, connection: 'close' }
  outgoing.writeHead(status, headers).end(JSON.stringify({ message }))
}

/** Answers input that is not a request, and ends the connection. */
function refuse(error: Error, socket: Duplex): void {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = REFUSALS.get(code) ?? ['400 Bad Request', MALFORMED]
  const body = JSON.stringify({ message })
  const type = `Content-Type: ${JSON_TYPE}`
  const head = [`HTTP/1.1 ${status}`, type, `Content-Length: ${body.length}`, 'Connection: close']
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
