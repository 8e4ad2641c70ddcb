import { nextFire } from '../../document/timer/next-fire.ts'
import type { Clock } from '../../lib/clock.ts'
import { nameKey } from '../../core/name-key.ts'
import type { TimerTick } from '../engine/documents.ts'
import type { TimerTicks } from '../engine/timer-ticks.ts'

export interface TimersOptions {
  readonly clock: Clock
  /** The ticks that were done before this process began. */
  readonly done: TimerTicks
  /** Called with timers that have no tick behind them: their first one follows after these. */
  readonly began: (ticks: TimerTicks) => void
  /** Called when the timer of a pipeline fires. */
  readonly fired: (pipeline: string, tick: TimerTick) => void
}

interface Timer {
  readonly cron: string
  /** The next tick is the first one after this time. */
  readonly after: number
  readonly next: number | null
}

/** The clock is checked again after this time, in case it was adjusted. */
const MAX_WAIT_MS = 30_000
/** Missed ticks of the last ten minutes are made up for, by one. */
const MADE_UP_FOR_MS = 600_000

/**
 * The timers of pipelines. Ticks that were missed while no server ran builds, such as during a
 * take-over, are made up for by one; older ones are skipped.
 */
export class Timers implements Disposable {
  readonly #options: TimersOptions
  #timers = new Map<string, Timer>()
  #done: TimerTicks
  #waiting: NodeJS.Timeout | null = null

  constructor(options: TimersOptions) {
    this.#options = options
    this.#done = options.done
  }

  /** Replaces all timers. An unchanged one keeps its time. */
  set(crons: ReadonlyMap<string, string>): void {
    const before = this.#timers
    const now = this.#options.clock()
    const begun = new Map<string, TimerTick>()
    const timerOf = (pipeline: string, cron: string): Timer => {
      const timer = before.get(pipeline)
      if (timer?.cron === cron) return timer
      const done = this.#done.get(nameKey(pipeline))
      if (done?.cron === cron) return timerAfter(cron, near(done.at, now))
      begun.set(pipeline, { cron, at: now })
      return timerAfter(cron, now)
    }
    this.#timers = new Map([...crons].map(([name, cron]) => [name, timerOf(name, cron)]))
    // A pipeline that is configured later is new, even if an older one had its name.
    this.#done = new Map()
    if (begun.size > 0) this.#options.began(begun)
    this.#wait()
  }

  [Symbol.dispose](): void {
    this.#timers = new Map()
    this.#wait()
  }

  #wait(): void {
    if (this.#waiting) clearTimeout(this.#waiting)
    this.#waiting = null
    if (this.#timers.size === 0) return
    const now = this.#options.clock()
    this.#followClock(now)
    const soonest = Math.min(...[...this.#timers.values()].map(({ next }) => next ?? Infinity))
    const pause = Math.min(Math.max(soonest - now, 0), MAX_WAIT_MS)
    this.#waiting = setTimeout(() => this.#fire(), pause)
    this.#waiting.unref()
  }

  #followClock(now: number): void {
    for (const [pipeline, { cron, after }] of this.#timers) {
      if (after > now + MADE_UP_FOR_MS) {
        this.#timers.set(pipeline, timerAfter(cron, near(after, now)))
      }
    }
  }

  #fire(): void {
    const now = this.#options.clock()
    for (const [pipeline, { cron, next }] of this.#timers) {
      if (next === null || next > now) continue
      this.#timers.set(pipeline, timerAfter(cron, now))
      this.#options.fired(pipeline, { cron, at: now })
    }
    this.#wait()
  }
}

function timerAfter(cron: string, after: number): Timer {
  return { cron, after, next: nextFire(cron, after) }
}

/** A clock that was wrong must neither silence a timer nor fire it for a tick of long ago. */
function near(at: number, now: number): number {
  return Math.min(Math.max(at, now - MADE_UP_FOR_MS), now + MADE_UP_FOR_MS)
}
