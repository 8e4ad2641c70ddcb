import { z } from 'zod'
import type { ChangeOrigin } from '../../core/change-origin.ts'
import { type Trailer, trailerValues } from '../../history/revision/message.ts'
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

/** The rules that the facts of a commit name. */
export function overridesIn(trailers: readonly Trailer[]): readonly OverriddenRule[] {
  return trailers.flatMap(([name, value]) => {
    if (!value.includes(' ') || (name !== OVERRIDDEN && name !== RECOVERED)) return []
    const [by, rule] = splitLast(value)
    return [name === RECOVERED ? { by, rule, inRecovery: true as const } : { by, rule }]
  })
}

export const APPROVED_TRAILER = 'Approved-by'

/** The approvals that the facts of a commit name. */
export function approvalsIn(
  trailers: readonly Trailer[],
): readonly { readonly by: string; readonly digest: string }[] {
  return trailerValues(trailers, APPROVED_TRAILER).map((value) => {
    const [by, digest] = splitLast(value)
    return { by, digest }
  })
}

/** A user name may have spaces, and what follows it has none. */
function splitLast(text: string): readonly [string, string] {
  const space = text.lastIndexOf(' ')
  return [text.slice(0, space), text.slice(space + 1)]
}
