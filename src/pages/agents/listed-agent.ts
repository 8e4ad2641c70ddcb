import { deletionObstacle } from '../../core/builds/agent.ts'
import type { AgentStatus } from '../../core/builds/agent.ts'
import { factsOf, isUnknownMachine, type KnownAgent, statusOf } from '../../agents/known-agent.ts'

/** An agent as a row of the list. */
export interface ListedAgent {
  readonly uuid: string
  readonly name: string
  readonly status: AgentStatus
  readonly sandbox: string
  readonly os: string
  /** As it says. */
  readonly ipAddress: string
  /** The address that its calls come from, or null while it was not heard. */
  readonly remoteAddress: string | null
  /** Bytes, or null when it is not known. */
  readonly freeSpace: number | null
  readonly resources: readonly string[]
  readonly environments: readonly string[]
  /** What keeps it from being deleted, in words, or null. */
  readonly obstacle: string | null
  /** Whether the configuration lists it. */
  readonly isConfigured: boolean
  /** Whether a machine that nobody approved uses a uuid that the configuration lists. */
  readonly isUnknownMachine: boolean
}

/** Less free space than this is worth a look, in bytes. */
const LOW = 1024 ** 3

export function listedAgent(agent: KnownAgent): ListedAgent {
  const { hostname, ipAddress, sandbox, operatingSystem, freeSpace } = factsOf(agent)
  return {
    uuid: agent.uuid,
    name: hostname === '' ? agent.uuid : hostname,
    status: statusOf(agent),
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

export function isLowOnSpace({ freeSpace }: Pick<ListedAgent, 'freeSpace'>): boolean {
  return freeSpace !== null && freeSpace < LOW
}
