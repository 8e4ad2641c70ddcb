import { setImmediate as nextTurn } from 'node:timers/promises'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import { Semaphore } from '../../lib/semaphore.ts'

/** Looks that are taken at the same time. */
const AT_ONCE = 8

/**
 * Has a look at something whenever it is woken: one look at a time at each, and one more after it
 * when it was woken meanwhile.
 */
export class WakeUps implements AsyncDisposable {
  readonly #look: (name: string) => Promise<void>
  readonly #log: Log
  readonly #turns = new Semaphore(AT_ONCE)
  /** The end of what is done about each. */
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
    inBackground(this.#log, 'A pipeline could not be looked at', looked)
  }

  /** A new configuration may wake thousands; whoever calls the service meanwhile is answered. */
  async #lookLater(name: string): Promise<void> {
    await nextTurn()
    await this.#look(name)
  }

  /** Does a job about something while nobody looks at it. */
  without<Result>(name: string, job: () => Promise<Result>): Promise<Result> {
    return this.#inTurn(name, job)
  }

  /** Begins no more looks and waits for what is under way. */
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
