import { z } from 'zod'
import type { ChangeOrigin } from '../../core/change-origin.ts'
import type { Trailer } from '../../history/revision/message.ts'
import type { Verdict } from './rules/verdict.ts'

/** A rule that somebody passed, by an override or in a recovery. */
export const OverriddenRule = z.object({
  by: z.string(),
  rule: z.string(),
  inRecovery: z.literal(true).exactOptional(),
})
export type OverriddenRule = Readonly<z.infer<typeof OverriddenRule>>

const OVERRIDDEN = 'Overridden-by'
const RECOVERED = 'Recovered-by'

/** The facts of a commit that passes rules: who passed which, and how. */
export function overrideTrailers(
  origin: ChangeOrigin,
  { overridden, recovered }: Pick<Verdict, 'overridden' | 'recovered'>,
): readonly Trailer[] {
  if (!('principal' in origin)) return []
  const { username } = origin.principal
  return [
    ...overridden.map((rule) => [OVERRIDDEN, `${username} ${rule}`] as const),
    ...recovered.map((rule) => [RECOVERED, `${username} ${rule}`] as const),
  ]
}

/** The rules that the facts of a commit name; a user name may have spaces, the name of a rule has none. */
export function overridesIn(trailers: readonly Trailer[]): readonly OverriddenRule[] {
  return trailers.flatMap(([name, value]) => {
    const space = value.lastIndexOf(' ')
    if (space < 0 || (name !== OVERRIDDEN && name !== RECOVERED)) return []
    const passed = { by: value.slice(0, space), rule: value.slice(space + 1) }
    return [name === RECOVERED ? { ...passed, inRecovery: true as const } : passed]
  })
}
