import { Hono } from 'hono'
import { renderFreeSpace } from '../core/agent.ts'
import {
  type AgentAdministrationDeps,
  approveAgent,
  listAgents,
  type Outcome,
  removeAgent,
  retireAgent,
} from '../services/agents/administer-agents.ts'
import { factsOf, type KnownAgent, statusOf } from '../services/agents/known-agent.ts'
import type { AgentEntry } from '../wire/agent-entry.ts'
import type { ClientNames } from '../wire/revision-entry.ts'
import type { RouteEnv } from './door.ts'
import { json } from './errors.ts'

export interface AgentRoutesOptions extends AgentAdministrationDeps {
  readonly clientNames: ClientNames
  /** The job that an agent runs, `pipeline/counter/stage/counter/job`, or empty. */
  readonly locatorOf: (uuid: string) => string
}

/** `/api/agents…`: the list, and what an administrator decides about an agent. */
export function agentRoutes(options: AgentRoutesOptions) {
  return new Hono<RouteEnv>()
    .get('/api/agents', async () => {
      const agents = await listAgents(options.directory)
      return json(agents.map((agent) => renderAgent(agent, options)))
    })
    .post('/api/agents/:uuid/enable', async (c) => {
      const uuid = c.req.param('uuid')
      const outcome = await approveAgent(options, c.env.principal, uuid)
      return json({ message: describe(uuid, 'enabled', outcome) })
    })
    .post('/api/agents/:uuid/disable', async (c) => {
      const uuid = c.req.param('uuid')
      const outcome = await retireAgent(options, c.env.principal, uuid)
      return json({ message: describe(uuid, 'disabled', outcome) })
    })
    .post('/api/agents/:uuid/delete', async (c) => {
      const uuid = c.req.param('uuid')
      await removeAgent(options, c.env.principal, uuid)
      return json({ message: `The agent ${uuid} is deleted` })
    })
}

function describe(uuid: string, decision: string, outcome: Outcome): string {
  return `The agent ${uuid} is ${decision}${outcome === 'changed' ? '' : ' already'}`
}

function renderAgent(
  agent: KnownAgent,
  { clientNames, locatorOf }: AgentRoutesOptions,
): AgentEntry {
  const facts = factsOf(agent)
  const buildLocator = locatorOf(agent.uuid)
  return {
    uuid: agent.uuid,
    buildLocator,
    agent_name: facts.hostname,
    ipAddress: facts.ipAddress,
    status: statusOf(agent),
    sandbox: facts.sandbox,
    os: facts.operatingSystem,
    free_space: renderFreeSpace(facts.freeSpace),
    resources: [...(agent.configured?.resources ?? [])],
    environments: [...(agent.configured?.environments ?? [])],
    ...(clientNames === 'gocd' ? { build_locator: buildLocator, ip_address: facts.ipAddress } : {}),
  }
}
