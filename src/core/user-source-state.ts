import type { ExternalUser } from './principal.ts'

/** Where users are known besides the users file, and whether that was there at the last log-in. */
export interface UserSourceState {
  readonly source: ExternalUser['source']
  /** Such as `The directory of users`. */
  readonly name: string
  /** Null while it answers, and before anybody has logged in; times in milliseconds since the UNIX epoch. */
  readonly away: { readonly since: number; readonly last: number } | null
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
