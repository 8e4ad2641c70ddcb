import type { ChangeOrigin } from '../../core/change-origin.ts'
import type { Trailer } from '../../history/revision/message.ts'

/** A rule that somebody passed by an override. */
export interface OverriddenRule {
  readonly by: string
  readonly rule: string
}

const OVERRIDDEN = 'Overridden-by'

/** The facts of a commit that passes rules: who passed which. */
export function overrideTrailers(
  origin: ChangeOrigin,
  overridden: readonly string[],
): readonly Trailer[] {
  if (!('principal' in origin)) return []
  const { username } = origin.principal
  return overridden.map((rule) => [OVERRIDDEN, `${username} ${rule}`])
}

/** The rules that the facts of a commit name; a user name may have spaces, the name of a rule has none. */
export function overridesIn(trailers: readonly Trailer[]): readonly OverriddenRule[] {
  return trailers.flatMap(([name, value]) => {
    const space = value.lastIndexOf(' ')
    if (name !== OVERRIDDEN || space < 0) return []
    return [{ by: value.slice(0, space), rule: value.slice(space + 1) }]
  })
}
