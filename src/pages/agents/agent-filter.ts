import type { ShownAgent } from './shown-agent.ts'

/** One condition of a filter: a text in one column, or in any. */
export interface AgentTerm {
  readonly column: keyof typeof COLUMNS | null
  readonly text: string
}

type Texts = (agent: ShownAgent) => readonly string[]

/** The columns by their names in a filter. */
const COLUMNS = {
  name: (agent) => [agent.name],
  status: (agent) => [agent.status],
  sandbox: (agent) => [agent.sandbox],
  os: (agent) => [agent.os],
  ip: (agent) => [agent.ipAddress, agent.remoteAddress ?? ''],
  resource: (agent) => agent.resources,
  environment: (agent) => agent.environments,
  uuid: (agent) => [agent.uuid],
} as const satisfies Record<string, Texts>

const OTHERWISE: Readonly<Record<string, keyof typeof COLUMNS>> = {
  resources: 'resource',
  environments: 'environment',
  env: 'environment',
}

const TERM = /(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/gi

/**
 * Parses `status:idle resource:docker build`: columns with a text each, and texts for any column.
 */
export function parseAgentFilter(filter: string): readonly AgentTerm[] {
  return Array.from(filter.matchAll(TERM), ([whole, prefix = '', quoted, word]) => {
    const column = columnOf(prefix.toLowerCase())
    const text = column === null && prefix !== '' ? whole : (quoted ?? word ?? '')
    return { column, text: text.toLowerCase() }
  })
}

/** Whether all conditions hold; a text matches anywhere in a value and ignores case. */
export function matches(agent: ShownAgent, terms: readonly AgentTerm[]): boolean {
  return terms.every(({ column, text }) => {
    const readers: readonly Texts[] = column === null ? Object.values(COLUMNS) : [COLUMNS[column]]
    return readers.some((read) => read(agent).some((value) => value.toLowerCase().includes(text)))
  })
}

function columnOf(prefix: string): AgentTerm['column'] {
  for (const column of COLUMN_NAMES) if (column === prefix) return column
  return Object.hasOwn(OTHERWISE, prefix) ? (OTHERWISE[prefix] ?? null) : null
}

const COLUMN_NAMES: readonly (keyof typeof COLUMNS)[] = [
  'name',
  'status',
  'sandbox',
  'os',
  'ip',
  'resource',
  'environment',
  'uuid',
]
