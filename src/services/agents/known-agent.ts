import { type AgentCondition, type AgentStatus, agentStatus } from '../../core/agent.ts'
import { type AgentEvent, nextAgent } from '../../core/agent-life-cycle.ts'
import type { AgentFacts, AgentRecord } from './agent-record.ts'
import type { ConfiguredAgent } from './configured-agent.ts'

/** One run of an agent's process, as it was last heard. */
export interface Heard {
  readonly instance: string
  /** Milliseconds since the UNIX epoch. */
  readonly at: number
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

/** The facts to show: what it said last, or what the configuration has of an agent not heard. */
export function factsOf({ record, configured }: KnownAgent): AgentFacts {
  const unheard = { sandbox: '', operatingSystem: '', freeSpace: null, version: '' }
  const facts = record?.facts ?? { hostname: '', ipAddress: '', ...unheard }
  if (!configured) return facts
  return { ...facts, hostname: configured.hostname, ipAddress: configured.ipAddress }
}

export function statusOf({ condition }: KnownAgent): AgentStatus {
  return agentStatus(condition)
}
