import { Socket } from 'node:net'
import { pause } from '../lib/pause.ts'

/** Where a database may be: hosts with their ports, or a socket of this machine. */
export interface DatabaseAddress {
  readonly host: readonly string[]
  readonly port: readonly number[]
  readonly path?: string | false
}

/** In milliseconds. A database that is back is to be found soon, and who cannot wait is to be refused soon. */
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 500

/** The sockets of a client of PostgreSQL. After some that came to nothing, the next one waits a little. */
export class PostgresSockets implements Disposable {
  readonly #sockets = new Set<Socket>()
  readonly #end = new AbortController()
  #opened = 0
  /** How many in a row were closed before anything came. */
  #failures = 0

  /** One that connects. What is written before it is connected waits for that. */
  readonly open = async ({ host, port, path }: DatabaseAddress): Promise<Socket> => {
    await this.#pauseAfterFailures()
    const which = this.#opened % Math.max(host.length, 1)
    this.#opened += 1
    // The client asks a socket for the name that a certificate has to be for.
    const place = { host: host[which] ?? 'localhost', port: port[which] ?? 0 }
    const socket = Object.assign(new Socket(), place)
    this.#watch(socket)
    // Who opens it has to be able to hear of its end.
    if (this.#end.signal.aborted) setImmediate(() => socket.destroy())
    else if (typeof path === 'string') socket.connect(path)
    else socket.connect(place.port, place.host)
    return socket
  };

  /** Closes whatever is open, and what is still asked for. */
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
    // A proxy whose database is away takes a connection and closes it: the client would try again
    // without a pause, and tell nobody.
    socket.once('end', () => {
      if (!isHeard) socket.destroy(Object.assign(new Error('closed'), { code: 'ECONNREFUSED' }))
    })
    socket.once('close', () => {
      this.#sockets.delete(socket)
      if (!isHeard) this.#failures += 1
    })
  }
}
