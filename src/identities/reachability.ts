import { ServiceError } from '../core/errors.ts'
import type { UserSourceState } from '../core/user-source-state.ts'
import type { Clock } from '../lib/clock.ts'

/** Whether something elsewhere answers, as the last attempt has shown. Nothing is asked for this alone. */
export class Reachability {
  readonly #clock: Clock
  #away: UserSourceState['away'] = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Since when it is away, and when it was asked last; null otherwise. */
  get away(): UserSourceState['away'] {
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

  /** A refusal is an answer too. */
  #noteFailure(error: unknown): void {
    if (!(error instanceof ServiceError)) return
    const last = this.#clock()
    this.#away = error.code === 'unavailable' ? { since: this.#away?.since ?? last, last } : null
  }
}
