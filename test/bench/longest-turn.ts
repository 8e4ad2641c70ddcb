import type { Measured } from './case.ts'
import type { MeasuredServer } from './servers.ts'

/** The stacks of so many turns are told. */
const TOLD = 3

/** No turn of the main thread takes longer, whatever the service does: others wait for it. */
export const TURN_LIMIT = { atMost: 20, unit: 'ms of CPU' }

/** The CPU time of the longest turn that the main thread of a sampled service had during some work. */
export async function longestTurnIn(
  server: MeasuredServer,
  work: () => Promise<unknown>,
): Promise<Measured> {
  const turns = await server.heldDuring(work)
  const longest = turns.toSorted((one, other) => other.used - one.used)
  const stacks = longest
    .slice(0, TOLD)
    .map(({ used, stack }) => `${Math.round(used)} ms in ${stack}`)
  const held = Math.max(...turns.map((turn) => turn.held))
  return { value: longest[0]?.used ?? NaN, facts: { 'held, ms': held, longest: stacks.join('; ') } }
}
