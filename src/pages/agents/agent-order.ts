import { compareKeys, type SortKey, type SortOrder, SortOrders } from '../kit/table.tsx'
import type { ShownAgent } from './shown-agent.ts'

/** The columns of the list, in their order; it can be sorted by each of them. */
const AGENT_COLUMNS = [
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

export type AgentOrder = SortOrder<AgentColumn>

export const AGENT_ORDERS = new SortOrders(AGENT_COLUMNS, { column: 'name', isDescending: false })

/** The limit of cached sort keys. The list is requested often and names rarely change. */
const MAX_CACHED_KEYS = 100_000
const kept = new Map<string, string>()

/** Numbers inside names count as numbers, so that `build-9` comes before `build-10`. */
function natural(text: string): string {
  const known = kept.get(text)
  if (known !== undefined) return known
  const key = text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, '0'))
  if (kept.size >= MAX_CACHED_KEYS) kept.clear()
  kept.set(text, key)
  return key
}

const KEYS: Record<AgentColumn, (agent: ShownAgent) => SortKey> = {
  name: ({ name }) => natural(name),
  status: ({ status }) => status,
  sandbox: ({ sandbox }) => natural(sandbox),
  os: ({ os }) => natural(os),
  ip: ({ ipAddress }) => natural(ipAddress),
  space: ({ freeSpace }) => freeSpace ?? -1,
  resources: ({ resources }) => natural(resources.join(' ')),
  environments: ({ environments }) => natural(environments.join(' ')),
}

/** Sorts the agents; ties are broken by name, working folder and uuid. */
export function sorted(
  agents: readonly ShownAgent[],
  { column, isDescending }: AgentOrder,
): readonly ShownAgent[] {
  const keyed = agents.map((agent) => {
    return { agent, first: KEYS[column](agent), name: natural(agent.name) }
  })
  const sign = isDescending ? -1 : 1
  keyed.sort(
    (one, other) =>
      sign * compareKeys(one.first, other.first) ||
      compareKeys(one.name, other.name) ||
      compareKeys(one.agent.sandbox, other.agent.sandbox) ||
      compareKeys(one.agent.uuid, other.agent.uuid),
  )
  return keyed.map(({ agent }) => agent)
}
