import type { ExternalUser } from '../principal.ts'

/** A source of users beside the users file, and whether it was usable at the last log-in. */
export interface UserSourceState {
  readonly source: ExternalUser['source']
  /** Such as `The directory of users`. */
  readonly name: string
  /** Null while it answers, and before the first log-in. */
  readonly away: AwaySource | null
}

/** Times in milliseconds since the UNIX epoch. */
export interface AwaySource {
  readonly since: number
  readonly last: number
  /** The setting that keeps a source that answers from being used, as a sentence; null where none answers. */
  readonly wrongSetting: string | null
}

/** One sentence for each source of users that is away. */
export function awayProblems(sources: readonly UserSourceState[]): readonly string[] {
  return sources.flatMap(({ name, away }) => {
    if (away === null) return []
    const [since, last] = [away.since, away.last].map((time) => new Date(time).toISOString())
    const { wrongSetting } = away
    const fault = wrongSetting === null ? 'has not answered' : 'has let nobody in'
    const reason = wrongSetting === null ? '' : `. ${wrongSetting}`
    return [
      `${name} ${fault} since ${since}, and was last asked at ${last}: its users cannot log in, those of this service can${reason}`,
    ]
  })
}
