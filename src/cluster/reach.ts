import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { abortedAfter } from '../lib/aborted-after.ts'
import { pause } from '../lib/pause.ts'

/** The interval of questions to a server, and its time for an answer, in milliseconds. */
const ASK_INTERVAL_MS = 1_000
const ANSWER_TIMEOUT_MS = 4_000
const ALIVE = '/health/live'

/**
 * The lines from this server to the others. Each is asked whether it is there, all the time: its row
 * in the database says nothing of that, since it may reach the database and not be reached itself.
 */
export class Reach implements AsyncDisposable {
  readonly #lines = new Map<string, Line>()

  /** Asks these servers from now on, and no others. */
  follow(addresses: readonly string[]): void {
    for (const [address, line] of this.#lines) {
      if (addresses.includes(address)) continue
      this.#lines.delete(address)
      line.end()
    }
    for (const address of addresses) this.#lineTo(address)
  }

  /** The addresses at which a server gave the last answer in time; null until each was asked. */
  reached(): readonly string[] | null {
    const lines = [...this.#lines.values()]
    if (lines.some(({ isReached }) => isReached === null)) return null
    return lines.filter(({ isReached }) => isReached).map(({ address }) => address)
  }

  /** Aborted when the server at an address gives no answer in time. */
  silence(address: string): AbortSignal {
    return this.#lineTo(address).silence
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const lines = [...this.#lines.values()]
    this.follow([])
    await Promise.all(lines.map(({ asking }) => asking))
  }

  #lineTo(address: string): Line {
    const line = this.#lines.get(address) ?? new Line(address)
    this.#lines.set(address, line)
    return line
  }
}

class Line {
  readonly address: string
  readonly asking: Promise<void>
  /** Null before the first answer, or the end of the wait for it. */
  isReached: boolean | null = null
  readonly #end = new AbortController()
  #silence = new AbortController()

  constructor(address: string) {
    this.address = address
    this.asking = this.#ask()
  }

  get silence(): AbortSignal {
    return this.#silence.signal
  }

  end(): void {
    this.#end.abort()
  }

  async #ask(): Promise<void> {
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

/** Over a connection of its own: one that is kept may be cut where the next one is not. */
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
