import { ServiceError } from '../core/errors.ts'
import type { AwaySource } from '../core/service/user-source-state.ts'
import type { Clock } from '../lib/clock.ts'

/** The error for a source of users that answers, but differs from the settings. */
export class WrongSettingError extends ServiceError<'unavailable'> {
  constructor(reason: string, cause: unknown) {
    super('unavailable', reason, { reason }, { cause })
  }
}

/** Whether another service answers, by the last attempt. Nothing is requested for this alone. */
export class Reachability {
  readonly #clock: Clock
  #away: AwaySource | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The time and cause of an outage, and the last attempt; null while it works. */
  get away(): AwaySource | null {
    return this.#away
  }

  /** Makes an attempt, which shows by its end whether there was an answer. */
  async noted<Result>(attempt: () => Promise<Result>): Promise<Result> {
    try {
      const result = await attempt()
      this.#away = null
      return result
    } catch (error) {
      this.#noteFailure(error)
      throw error
    }
  }

  /** A refusal is an answer too. Another reason begins another outage. */
  #noteFailure(error: unknown): void {
    if (!(error instanceof ServiceError)) return
    const last = this.#clock()
    const wrongSetting = error instanceof WrongSettingError ? error.message : null
    const since = this.#away?.wrongSetting === wrongSetting ? this.#away.since : last
    this.#away = error.code === 'unavailable' ? { since, last, wrongSetting } : null
  }
}
