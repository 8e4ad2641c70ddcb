import { ListFilter } from '../kit/list-filter.ts'
import type { ShownAgent } from './shown-agent.ts'

/** `status:idle resource:docker build`: columns with a text each, and texts for any column. */
export const AGENT_FILTER = new ListFilter<ShownAgent>(
  {
    name: (agent) => [agent.name],
    status: (agent) => [agent.status],
    sandbox: (agent) => [agent.sandbox],
    os: (agent) => [agent.os],
    ip: (agent) => [agent.ipAddress, agent.remoteAddress ?? ''],
    resource: (agent) => agent.resources,
    environment: (agent) => agent.environments,
    uuid: (agent) => [agent.uuid],
  },
  { resources: 'resource', environments: 'environment', env: 'environment' },
)
