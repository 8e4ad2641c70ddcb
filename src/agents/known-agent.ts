import { type AgentCondition, type AgentStatus, agentStatus } from '../core/builds/agent.ts'
import { type AgentEvent, nextAgent } from '../core/builds/agent-life-cycle.ts'
import type { AgentFacts, AgentRecord } from './agent-record.ts'
import type { ConfiguredAgent } from './configured-agent.ts'

/** One run of an agent's process, as it was last heard. */
export interface Heard {
  readonly instance: string
  /** Milliseconds since the UNIX epoch. */
  readonly at: number
  /** The address that its calls come from, whatever it says of itself. */
  readonly address: string
  /** Whether that process said that it ends. */
  readonly stopping: boolean
}

/** What the server knows of one agent now: its record, its place in the configuration, what it last said. */
export interface KnownAgent {
  readonly uuid: string
  readonly condition: AgentCondition
  readonly record: AgentRecord | null
  readonly configured: ConfiguredAgent | null
  readonly heard: Heard | null
}

/** What an event makes of an agent; null when it is known no more. */
export function afterEvent(agent: KnownAgent, event: AgentEvent): KnownAgent | null {
  const condition = nextAgent(agent.condition, event)
  return condition && { ...agent, condition }
}

/** Whether an administrator or the key let in the machine that uses the uuid. */
export function isApproved({ record }: KnownAgent): boolean {
  return record?.approved === true
}

/** Whether a machine that nobody approved uses a uuid that the configuration lists. */
export function isUnknownMachine(agent: KnownAgent): boolean {
  return agent.configured !== null && agent.record !== null && !isApproved(agent)
}

/** What the configuration and the approval make of an agent that is listed. */
export function decisionOn({
  record,
  configured,
}: Pick<KnownAgent, 'record' | 'configured'>): AgentEvent {
  if (configured === null) return 'register'
  if (configured.isDisabled) return 'config-disabled'
  return record === null || record.approved === true ? 'config-enabled' : 'config-unapproved'
}

/**
 * The facts to show: what it said last, or what the configuration has of an agent not heard. Of a
 * machine that is not approved, what it says of itself: that is to be looked at.
 */
export function factsOf(agent: KnownAgent): AgentFacts {
  const { record, configured } = agent
  const unheard = { sandbox: '', operatingSystem: '', freeSpace: null, version: '' }
  const facts = record?.facts ?? { hostname: '', ipAddress: '', ...unheard }
  if (!configured || isUnknownMachine(agent)) return facts
  return { ...facts, hostname: configured.hostname, ipAddress: configured.ipAddress }
}

export function statusOf({ condition }: KnownAgent): AgentStatus {
  return agentStatus(condition)
}

/** An IPv4 address as such, also where it came over IPv6. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
