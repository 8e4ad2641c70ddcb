import { ServiceError } from '../core/errors.ts'
import type { ExternalUser } from '../core/principal.ts'
import type { Clock } from '../lib/clock.ts'

/** Where users are known besides the users file, and whether that was there at the last log-in. */
export interface UserSourceState {
  readonly source: ExternalUser['source']
  /** Such as `The directory of users`. */
  readonly name: string
  /** Null while it answers, and before anybody has logged in; times in milliseconds since the UNIX epoch. */
  readonly away: { readonly since: number; readonly last: number } | null
}

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

/** What an operator should know of it: one sentence for each that is away. */
export function awayProblems(sources: readonly UserSourceState[]): readonly string[] {
  return sources.flatMap(({ name, away }) => {
    if (away === null) return []
    const [since, last] = [away.since, away.last].map((time) => new Date(time).toISOString())
    return [
      `${name} has not answered since ${since}, and was last asked at ${last}: its users cannot log in, those of the users file can`,
    ]
  })
}
