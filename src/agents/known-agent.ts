import { type AgentCondition, type AgentStatus, agentStatus } from '../core/builds/agent.ts'
import { type AgentEvent, nextAgent } from '../core/builds/agent-life-cycle.ts'
import type { AgentFacts, AgentRecord } from './agent-record.ts'
import type { ConfiguredAgent } from './configured-agent.ts'

/** The last contact of one agent process. */
export interface LastContact {
  readonly instance: string
  /** Milliseconds since the UNIX epoch. */
  readonly at: number
  /** The address that its calls come from, as opposed to the reported one. */
  readonly address: string
  /** Whether that process announced its end. */
  readonly stopping: boolean
}

/** A last contact that the directory received, and the time for which the service had run then. */
interface HeardContact extends LastContact {
  readonly uptime: number
}

/**
 * The facts that the server knows about an agent: its record, its configuration, its last contact.
 */
export interface KnownAgent {
  readonly uuid: string
  readonly condition: AgentCondition
  readonly record: AgentRecord | null
  readonly configured: ConfiguredAgent | null
  readonly heard: HeardContact | null
}

/** Applies an event to an agent; null when it is removed by that. */
export function afterEvent(agent: KnownAgent, event: AgentEvent): KnownAgent | null {
  const condition = nextAgent(agent.condition, event)
  return condition && { ...agent, condition }
}

/** Whether an administrator or the key approved the machine that uses the uuid. */
export function isApproved({ record }: KnownAgent): boolean {
  return record?.approved === true
}

/** Whether an unapproved machine uses a uuid that the configuration contains. */
export function isUnknownMachine(agent: KnownAgent): boolean {
  return agent.configured !== null && agent.record !== null && !isApproved(agent)
}

/** The config status of a configured agent, from the configuration and the approval. */
export function decisionOn({
  record,
  configured,
}: Pick<KnownAgent, 'record' | 'configured'>): AgentEvent {
  if (configured === null) return 'register'
  if (configured.isDisabled) return 'config-disabled'
  return record === null || record.approved === true ? 'config-enabled' : 'config-unapproved'
}

/**
 * The facts to show: the last reported ones, or those of the configuration before the first
 * contact. For an unapproved machine, its own report, which an administrator has to check.
 */
export function factsOf(agent: KnownAgent): AgentFacts {
  const { record, configured } = agent
  const unheard = { sandbox: '', operatingSystem: '', freeSpace: null, version: '' }
  const facts = record?.facts ?? { hostname: '', ipAddress: '', ...unheard }
  if (!configured || isUnknownMachine(agent)) return facts
  return { ...facts, hostname: configured.hostname, ipAddress: configured.ipAddress }
}

export function agentStatusOf({ condition }: KnownAgent): AgentStatus {
  return agentStatus(condition)
}
