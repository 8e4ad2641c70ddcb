import { nextFire } from '../../document/timer/next-fire.ts'
import type { Clock } from '../../lib/clock.ts'

export interface TimersOptions {
  readonly clock: Clock
  /** Called when the timer of a pipeline fires. */
  readonly fired: (pipeline: string) => void
}

interface Timer {
  readonly cron: string
  readonly next: number | null
}

/** The clock is checked again after this time, in case it was adjusted. */
const LONGEST_WAIT = 30_000

/** The timers of pipelines. Times that passed while the service was stopped are skipped. */
export class Timers implements Disposable {
  readonly #options: TimersOptions
  #timers = new Map<string, Timer>()
  #waiting: NodeJS.Timeout | null = null

  constructor(options: TimersOptions) {
    this.#options = options
  }

  /** Replaces all timers. An unchanged one keeps its time. */
  set(crons: ReadonlyMap<string, string>): void {
    const before = this.#timers
    const now = this.#options.clock()
    this.#timers = new Map(
      [...crons].map(([pipeline, cron]) => {
        const timer = before.get(pipeline)
        return [pipeline, timer?.cron === cron ? timer : { cron, next: nextFire(cron, now) }]
      }),
    )
    this.#wait()
  }

  [Symbol.dispose](): void {
    this.#timers = new Map()
    this.#wait()
  }

  #wait(): void {
    if (this.#waiting) clearTimeout(this.#waiting)
    this.#waiting = null
    const soonest = Math.min(...[...this.#timers.values()].map(({ next }) => next ?? Infinity))
    if (soonest === Infinity) return
    const pause = Math.min(Math.max(soonest - this.#options.clock(), 0), LONGEST_WAIT)
    this.#waiting = setTimeout(() => this.#fire(), pause)
    this.#waiting.unref()
  }

  #fire(): void {
    const now = this.#options.clock()
    for (const [pipeline, { cron, next }] of this.#timers) {
      if (next === null || next > now) continue
      this.#timers.set(pipeline, { cron, next: nextFire(cron, now) })
      this.#options.fired(pipeline)
    }
    this.#wait()
  }
}
