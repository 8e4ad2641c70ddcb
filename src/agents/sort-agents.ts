import { factsOf, type KnownAgent } from './known-agent.ts'

/** Created on first use, so that a start without agents does not load its tables. */
let collator: Intl.Collator | null = null

/** The uuids of the agents by name, working folder and uuid. */
export function sortedUuids(agents: Iterable<KnownAgent>): readonly string[] {
  const order = (collator ??= new Intl.Collator('en'))
  const keyed = Array.from(agents, (agent) => [...placeOf(agent), agent.uuid])
  keyed.sort((one, other) => {
    const different = one.findIndex((key, at) => key !== other[at])
    return different < 0 ? 0 : order.compare(one[different] ?? '', other[different] ?? '')
  })
  return keyed.map((keys) => keys.at(-1) ?? '')
}

/** Whether two states of an agent have the same position in the list. */
export function sortsAlike(one: KnownAgent, other: KnownAgent): boolean {
  const keys = placeOf(other)
  return placeOf(one).every((key, at) => key === keys[at])
}

function placeOf(agent: KnownAgent): readonly string[] {
  const { hostname, sandbox } = factsOf(agent)
  return [hostname, sandbox]
}
