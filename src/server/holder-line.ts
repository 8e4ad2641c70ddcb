import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Holder } from '../cluster/members.ts'
import { abortedAfter } from '../lib/aborted-after.ts'
import { pause } from '../lib/pause.ts'

/** How often the holder is asked whether it is there, and how long it may take to say so, in milliseconds. */
const ASKED_EVERY = 1_000
const LONGEST_SILENCE = 4_000
const ALIVE = '/health/live'

/**
 * The line to the server with the duties. Some calls wait there as long as they like, so no call has a
 * time limit; instead the holder is asked whether it is there while anybody waits for it. The lease
 * says nothing of that: the holder may reach the database, and not be reached itself.
 */
export class HolderLine {
  readonly #holder: Holder
  #waiting = 0
  #dead = new AbortController()
  #asking: Promise<void> | null = null

  constructor(holder: Holder) {
    this.#holder = holder
  }

  /** Waits for an answer; the signal is aborted when the holder is gone, or nothing comes from there. */
  async wait<Answer>(ask: (dead: AbortSignal) => Promise<Answer>): Promise<Answer> {
    this.#waiting += 1
    if (this.#asking === null) this.#asking = this.#askWhileWaiting()
    try {
      return await ask(AbortSignal.any([this.#holder.gone, this.#dead.signal]))
    } finally {
      this.#waiting -= 1
    }
  }

  async #askWhileWaiting(): Promise<void> {
    const { address, gone } = this.#holder
    await pause(ASKED_EVERY, gone)
    while (this.#waiting > 0 && !gone.aborted) {
      if (!(await isThere(address, gone))) {
        this.#dead.abort()
        this.#dead = new AbortController()
      }
      await pause(ASKED_EVERY, gone)
    }
    this.#asking = null
  }
}

/** Over a connection of its own: one that is kept may be cut where the next one is not. */
function isThere(address: string, gone: AbortSignal): Promise<boolean> {
  const url = new URL(address)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const path = `${url.pathname.replace(/\/$/, '')}${ALIVE}`
  const signal = abortedAfter(LONGEST_SILENCE, gone)
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
