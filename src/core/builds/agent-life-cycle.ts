import {
  deletionObstacle,
  type AgentCondition,
  type ConfigStatus,
  type RuntimeStatus,
} from './agent.ts'

/**
 * Every event of an agent. `register` waits for approval and `auto-register` does not; `assign`
 * gives it a job, which `cancel-job` cancels; `silence` is a missing contact; the `config-` events
 * report the new configuration, `config-unapproved` an agent whose machine is not approved.
 */
export const AGENT_EVENTS = [
  'register',
  'auto-register',
  'report-idle',
  'report-building',
  'assign',
  'cancel-job',
  'silence',
  'enable',
  'disable',
  'delete',
  'config-enabled',
  'config-disabled',
  'config-unapproved',
  'config-lost',
] as const
export type AgentEvent = (typeof AGENT_EVENTS)[number]

type Next = (agent: AgentCondition) => AgentCondition | null

const UNHEARD: RuntimeStatus = 'Missing'

/** The agents that an event creates. No other event changes an agent without a record. */
const APPEARING: Partial<Record<AgentEvent, AgentCondition>> = {
  register: { configStatus: 'Pending', runtimeStatus: 'Unknown' },
  'auto-register': { configStatus: 'Enabled', runtimeStatus: 'Idle' },
  'config-enabled': { configStatus: 'Enabled', runtimeStatus: UNHEARD },
  'config-disabled': { configStatus: 'Disabled', runtimeStatus: UNHEARD },
  'config-unapproved': { configStatus: 'Pending', runtimeStatus: 'Unknown' },
}

const LIFE: Record<AgentEvent, Next> = {
  register: (agent) => agent,
  'auto-register': (agent) =>
    agent.configStatus === 'Pending' ? withConfigStatus('Enabled')(agent) : agent,
  'report-idle': heard('Idle'),
  'report-building': (agent) =>
    agent.runtimeStatus === 'Cancelled' ? agent : heard('Building')(agent),
  assign: (agent) => (agent.configStatus === 'Enabled' ? heard('Building')(agent) : agent),
  'cancel-job': (agent) => (agent.runtimeStatus === 'Building' ? heard('Cancelled')(agent) : agent),
  silence: silenced,
  enable: withConfigStatus('Enabled'),
  disable: withConfigStatus('Disabled'),
  delete: (agent) => (deletionObstacle(agent) === null ? null : agent),
  'config-enabled': withConfigStatus('Enabled'),
  'config-disabled': withConfigStatus('Disabled'),
  'config-unapproved': withConfigStatus('Pending'),
  'config-lost': (agent) => (agent.configStatus === 'Pending' ? agent : null),
}

/** Applies an event to an agent; null is an agent without a record, before and after. */
export function nextAgent(agent: AgentCondition | null, event: AgentEvent): AgentCondition | null {
  return agent ? LIFE[event](agent) : (APPEARING[event] ?? null)
}

function heard(runtimeStatus: RuntimeStatus): Next {
  return (agent) => ({ ...agent, runtimeStatus })
}

function withConfigStatus(configStatus: ConfigStatus): Next {
  return ({ runtimeStatus }) => ({
    configStatus,
    runtimeStatus:
      configStatus === 'Enabled' && runtimeStatus === 'Unknown' ? 'Idle' : runtimeStatus,
  })
}

// A Disabled agent becomes lost too: one that died while building could otherwise never be deleted.
function silenced(agent: AgentCondition): AgentCondition | null {
  if (agent.configStatus === 'Pending') return null
  return agent.runtimeStatus === UNHEARD ? agent : heard('LostContact')(agent)
}
