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
import { json, jsonText } from './errors.ts'

export interface AgentRoutesOptions extends AgentAdministrationDeps {
  readonly clientNames: ClientNames
  /** The job that an agent runs, `pipeline/counter/stage/counter/job`, or empty. */
  readonly locatorOf: (uuid: string) => string
}

/** `/api/agents…`: the list, and what an administrator decides about an agent. */
export function agentRoutes(options: AgentRoutesOptions) {
  const render = rememberedBy(options)
  return new Hono<RouteEnv>()
    .get('/api/agents', async () => {
      const agents = await listAgents(options.directory)
      return jsonText(`[${agents.map(render).join(',')}]`)
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

interface Rendered {
  readonly buildLocator: string
  readonly text: string
}

/** What was rendered of an agent serves again until it calls. */
function rememberedBy(options: AgentRoutesOptions): (agent: KnownAgent) => string {
  const kept = new WeakMap<KnownAgent, Rendered>()
  return (agent) => {
    const buildLocator = options.locatorOf(agent.uuid)
    const known = kept.get(agent)
    if (known?.buildLocator === buildLocator) return known.text
    const text = JSON.stringify(renderAgent(agent, buildLocator, options.clientNames))
    kept.set(agent, { buildLocator, text })
    return text
  }
}

function renderAgent(
  agent: KnownAgent,
  buildLocator: string,
  clientNames: ClientNames,
): AgentEntry {
  const facts = factsOf(agent)
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
    config_status: agent.condition.configStatus,
    remote_address: agent.heard?.address ?? null,
    ...(clientNames === 'gocd' ? { build_locator: buildLocator, ip_address: facts.ipAddress } : {}),
  }
}
