import { Socket } from 'node:net'
import { pause } from '../lib/pause.ts'

/** Where a database may be: hosts with their ports, or a socket of this machine. */
export interface DatabaseAddress {
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
export class PostgresSockets implements Disposable {
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
