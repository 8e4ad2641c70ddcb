import type { ChangeOrigin } from '../../core/change-origin.ts'
import type { Trailer } from '../../history/revision/message.ts'

/** The facts of a commit that passes rules: who passed which. */
export function overrideTrailers(
  origin: ChangeOrigin,
  overridden: readonly string[],
): readonly Trailer[] {
  if (!('principal' in origin)) return []
  const { username } = origin.principal
  return overridden.map((rule) => ['Overridden-by', `${username} ${rule}`])
}
