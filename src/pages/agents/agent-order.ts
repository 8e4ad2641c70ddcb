import type { ListedAgent } from './listed-agent.ts'

/** What the list can be sorted by: its columns, in their order. */
export const AGENT_COLUMNS = [
  'name',
  'status',
  'sandbox',
  'os',
  'ip',
  'space',
  'resources',
  'environments',
] as const
export type AgentColumn = (typeof AGENT_COLUMNS)[number]

export interface AgentOrder {
  readonly column: AgentColumn
  readonly isDescending: boolean
}

type Key = string | number

/** So many keys are kept. Agents are asked for again and again, and their names stay. */
const KEPT = 100_000
const kept = new Map<string, string>()

/** Numbers inside names count as numbers, so that `build-9` comes before `build-10`. */
function natural(text: string): string {
  const known = kept.get(text)
  if (known !== undefined) return known
  const key = text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, '0'))
  if (kept.size >= KEPT) kept.clear()
  kept.set(text, key)
  return key
}

const KEYS: Record<AgentColumn, (agent: ListedAgent) => Key> = {
  name: ({ name }) => natural(name),
  status: ({ status }) => status,
  sandbox: ({ sandbox }) => natural(sandbox),
  os: ({ os }) => natural(os),
  ip: ({ ipAddress }) => natural(ipAddress),
  space: ({ freeSpace }) => freeSpace ?? -1,
  resources: ({ resources }) => natural(resources.join(' ')),
  environments: ({ environments }) => natural(environments.join(' ')),
}

/** The agents in order; those that are alike by name, working folder and uuid. */
export function sorted(
  agents: readonly ListedAgent[],
  { column, isDescending }: AgentOrder,
): readonly ListedAgent[] {
  const keyed = agents.map((agent) => {
    return { agent, first: KEYS[column](agent), name: natural(agent.name) }
  })
  const sign = isDescending ? -1 : 1
  keyed.sort(
    (one, other) =>
      sign * compare(one.first, other.first) ||
      compare(one.name, other.name) ||
      compare(one.agent.sandbox, other.agent.sandbox) ||
      compare(one.agent.uuid, other.agent.uuid),
  )
  return keyed.map(({ agent }) => agent)
}

function compare(one: Key, other: Key): number {
  return one < other ? -1 : one > other ? 1 : 0
}
