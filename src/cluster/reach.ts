import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { abortedAfter } from '../lib/aborted-after.ts'
import { pause } from '../lib/pause.ts'

/** The interval of probes of a server, and the time for an answer, in milliseconds. */
const ASK_INTERVAL_MS = 1_000
const ANSWER_TIMEOUT_MS = 4_000
const ALIVE = '/health/live'

/**
 * The connections from this server to the others, which are probed all the time: a server that
 * writes its row in the database may still be unreachable for the others.
 */
export class Reach implements AsyncDisposable {
  readonly #connections = new Map<string, ServerConnection>()

  /** Probes these servers from now on, and no others. */
  follow(addresses: readonly string[]): void {
    for (const [address, connection] of this.#connections) {
      if (addresses.includes(address)) continue
      this.#connections.delete(address)
      connection.end()
    }
    for (const address of addresses) this.#connectionTo(address)
  }

  /** The addresses that answered the last probe in time; null until each was probed. */
  reached(): readonly string[] | null {
    const connections = [...this.#connections.values()]
    if (connections.some(({ isReached }) => isReached === null)) return null
    return connections.filter(({ isReached }) => isReached).map(({ address }) => address)
  }

  /** Aborted when the server at an address does not answer in time. */
  silence(address: string): AbortSignal {
    return this.#connectionTo(address).silence
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const connections = [...this.#connections.values()]
    this.follow([])
    await Promise.all(connections.map(({ probing }) => probing))
  }

  #connectionTo(address: string): ServerConnection {
    const connection = this.#connections.get(address) ?? new ServerConnection(address)
    this.#connections.set(address, connection)
    return connection
  }
}

class ServerConnection {
  readonly address: string
  readonly probing: Promise<void>
  /** Null before the first answer or timeout. */
  isReached: boolean | null = null
  readonly #end = new AbortController()
  #silence = new AbortController()

  constructor(address: string) {
    this.address = address
    this.probing = this.#probe()
  }

  get silence(): AbortSignal {
    return this.#silence.signal
  }

  end(): void {
    this.#end.abort()
  }

  async #probe(): Promise<void> {
    const { signal } = this.#end
    while (!signal.aborted) {
      this.isReached = await isThere(this.address, signal)
      if (!this.isReached) {
        this.#silence.abort()
        this.#silence = new AbortController()
      }
      await pause(ASK_INTERVAL_MS, signal)
    }
  }
}

/** Uses a new connection each time: a reused one may be cut where a new one is not. */
function isThere(address: string, end: AbortSignal): Promise<boolean> {
  const url = new URL(address)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const path = `${url.pathname.replace(/\/$/, '')}${ALIVE}`
  const signal = abortedAfter(ANSWER_TIMEOUT_MS, end)
  return new Promise((resolve) => {
    send(url, { path, agent: false, signal })
      .once('response', (answer) => {
        answer.resume()
        resolve(true)
      })
      .on('error', () => resolve(false))
      .end()
  })
}
