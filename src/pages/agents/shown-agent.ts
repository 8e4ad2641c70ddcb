import { deletionObstacle, type AgentStatus } from '../../core/builds/agent.ts'
import {
  factsOf,
  isUnknownMachine,
  type KnownAgent,
  agentStatusOf,
} from '../../agents/known-agent.ts'

/** An agent as a row of the list. */
export interface ShownAgent {
  readonly uuid: string
  readonly name: string
  readonly status: AgentStatus
  readonly sandbox: string
  readonly os: string
  /** The address that the agent reports. */
  readonly ipAddress: string
  /** The address that its calls come from, or null before its first contact. */
  readonly remoteAddress: string | null
  /** In bytes, or null when unknown. */
  readonly freeSpace: number | null
  readonly resources: readonly string[]
  readonly environments: readonly string[]
  /** The reason why it cannot be deleted, as text, or null. */
  readonly obstacle: string | null
  /** Whether the configuration contains it. */
  readonly isConfigured: boolean
  /** Whether an unapproved machine uses a uuid that the configuration contains. */
  readonly isUnknownMachine: boolean
}

/** Free space below this limit is marked, in bytes. */
const LOW = 1024 ** 3

export function shownAgent(agent: KnownAgent): ShownAgent {
  const { hostname, ipAddress, sandbox, operatingSystem, freeSpace } = factsOf(agent)
  return {
    uuid: agent.uuid,
    name: hostname === '' ? agent.uuid : hostname,
    status: agentStatusOf(agent),
    sandbox,
    os: operatingSystem,
    ipAddress,
    remoteAddress: agent.heard?.address ?? null,
    freeSpace,
    resources: agent.configured?.resources ?? [],
    environments: agent.configured?.environments ?? [],
    obstacle: deletionObstacle(agent.condition),
    isConfigured: agent.configured !== null,
    isUnknownMachine: isUnknownMachine(agent),
  }
}

export function isLowOnSpace({ freeSpace }: Pick<ShownAgent, 'freeSpace'>): boolean {
  return freeSpace !== null && freeSpace < LOW
}
