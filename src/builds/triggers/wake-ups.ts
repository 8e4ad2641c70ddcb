import { setImmediate as nextTurn } from 'node:timers/promises'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import { Semaphore } from '../../lib/semaphore.ts'

/** The limit of concurrent checks. */
const AT_ONCE = 8

/**
 * Checks a name whenever it is woken: one check at a time for each name, and one more if it was
 * woken during the check.
 */
export class WakeUps implements AsyncDisposable {
  readonly #look: (name: string) => Promise<void>
  readonly #log: Log
  readonly #turns = new Semaphore(AT_ONCE)
  /** The end of the pending work for each name. */
  readonly #ends = new Map<string, Promise<void>>()
  readonly #woken = new Set<string>()
  #closed = false

  constructor(look: (name: string) => Promise<void>, log: Log) {
    this.#look = look
    this.#log = log
  }

  wake(name: string): void {
    if (this.#closed || this.#woken.has(name)) return
    this.#woken.add(name)
    const looked = this.#inTurn(name, async () => {
      this.#woken.delete(name)
      if (!this.#closed) await this.#turns.run(() => this.#lookLater(name))
    })
    inBackground(this.#log, 'A pipeline could not be checked', looked)
  }

  /** A new configuration may wake thousands of names; other requests are served in between. */
  async #lookLater(name: string): Promise<void> {
    await nextTurn()
    await this.#look(name)
  }

  /** Runs a job for a name while no check of it is running. */
  without<Result>(name: string, job: () => Promise<Result>): Promise<Result> {
    return this.#inTurn(name, job)
  }

  /** Starts no more checks, and waits for running ones. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    await Promise.all(this.#ends.values())
  }

  #inTurn<Result>(name: string, job: () => Promise<Result>): Promise<Result> {
    const turn = (this.#ends.get(name) ?? Promise.resolve()).then(job)
    const end = turn.then(ignore, ignore).then(() => {
      if (this.#ends.get(name) === end) this.#ends.delete(name)
    })
    this.#ends.set(name, end)
    return turn
  }
}

function ignore(): void {}
