import { setImmediate as nextTurn } from 'node:timers/promises'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'

/** Waits for something that may take long, such as a repository, while other names are checked. */
export type WaitAside = <Result>(wait: () => Promise<Result>) => Promise<Result>

/** The limit of concurrent checks. */
const AT_ONCE = 8

/**
 * Checks a name whenever it is woken: one check at a time for each name, and one more if it was
 * woken during the check.
 */
export class WakeUps implements AsyncDisposable {
  readonly #look: (name: string, aside: WaitAside) => Promise<void>
  readonly #log: Log
  /** The names to check, in the order they were woken. */
  readonly #woken = new Set<string>()
  /** The end of the work for each name that is checked, or has a job. */
  readonly #ends = new Map<string, Promise<void>>()
  #checks = 0
  /** The checks that have waited aside, and go on one by one. */
  readonly #returning: (() => void)[] = []
  #closed = false

  constructor(look: (name: string, aside: WaitAside) => Promise<void>, log: Log) {
    this.#look = look
    this.#log = log
  }

  wake(name: string): void {
    if (this.#closed) return
    this.#woken.add(name)
    this.#beginChecks()
  }

  /** Runs a job for a name while no check of it is running. */
  without<Result>(name: string, job: () => Promise<Result>): Promise<Result> {
    const turn = (this.#ends.get(name) ?? Promise.resolve()).then(job)
    const end = turn.then(ignore, ignore).then(() => {
      if (this.#ends.get(name) === end) this.#ends.delete(name)
      this.#beginChecks()
    })
    this.#ends.set(name, end)
    return turn
  }

  /** Starts no more checks, and waits for running ones. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#woken.clear()
    await Promise.all(this.#ends.values())
  }

  #beginChecks(): void {
    while (this.#checks < AT_ONCE) {
      const name = this.#nextIdle()
      if (name === undefined) return
      this.#checks += 1
      const check = this.without(name, () => this.#check(name))
      inBackground(this.#log, 'A pipeline could not be checked', check)
    }
  }

  /** The first of the woken names that has nothing running. */
  #nextIdle(): string | undefined {
    for (const name of this.#woken) if (!this.#ends.has(name)) return name
    return undefined
  }

  /** A new configuration may wake thousands of names; other requests are served in between. */
  async #check(name: string): Promise<void> {
    this.#woken.delete(name)
    try {
      await nextTurn()
      if (!this.#closed) await this.#look(name, this.#aside)
    } finally {
      this.#leave()
    }
  }

  readonly #aside: WaitAside = async (wait) => {
    this.#leave()
    try {
      return await wait()
    } finally {
      if (this.#checks < AT_ONCE) this.#checks += 1
      else await new Promise<void>((resolve) => this.#returning.push(resolve))
    }
  }

  /** Gives the place of a check to one that has waited aside, or to the next name. */
  #leave(): void {
    const next = this.#returning.shift()
    if (next) return next()
    this.#checks -= 1
    this.#beginChecks()
  }
}

function ignore(): void {}
