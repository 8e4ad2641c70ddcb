import { z } from 'zod'
import { digestOf } from '../../core/digest.ts'
import { renderFreeSpace } from '../../core/builds/agent.ts'
import type { Principal } from '../../core/principal.ts'
import {
  approveAgent,
  changeListedAgent,
  listAgents,
  type Outcome,
  removeAgent,
  retireAgent,
} from '../../agents/administer-agents.ts'
import { renderPlace } from '../../builds/artifacts/job-folders.ts'
import { factsOf, type KnownAgent, agentStatusOf } from '../../agents/known-agent.ts'
import { SavedBody, savedBody } from '../../wire/action-bodies.ts'
import { AgentChangesBody, AgentEntry } from '../../wire/agent-entry.ts'
import type { ClientNames } from '../../wire/revision-bodies.ts'
import { checkedMessage, MessageFields, messageOf, readMessage } from '../../http/change-message.ts'
import { CachedResponse } from '../../http/cached-response.ts'
import { json } from '../../http/errors.ts'
import { malformed, wellFormed } from '../../http/parameters.ts'
import { isJson, parseJson, readBody, readForm } from '../../http/request-body.ts'
import type { LeaderContext } from '../definition/api-context.ts'
import {
  fieldsBody,
  FORM_TYPE,
  JSON_TYPE,
  jsonAnswer,
  MESSAGE_HEADER,
  reads,
} from '../definition/operation.ts'
import { leaderResource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'

const MAX_BODY_BYTES = 65_536

const ChangeBody = AgentChangesBody.extend({ message: z.string().exactOptional() })
/** The fields of its form that are no lists. */
const SINGLE_FIELDS: ReadonlySet<string> = new Set(['hostname', 'message'])

/** An agent as JSON, as the caller may see it. */
type RenderAgent = (agent: KnownAgent, principal: Principal) => string

interface AgentsState {
  readonly agents: LeaderContext['agents']
  readonly render: RenderAgent
  readonly list: AgentList
}

const route = routeWith<AgentsState>('Agents')

/** The decision of an administrator about an agent. */
const decisionRoute = {
  method: 'POST',
  caller: 'administrator',
  headers: MESSAGE_HEADER,
  body: fieldsBody(MessageFields, { required: false, types: [FORM_TYPE, JSON_TYPE] }),
  answers: { 200: jsonAnswer('Done, or nothing to do', SavedBody) },
  errors: ['agent-not-found', 'malformed-request', 'body-too-large'],
} as const

/** `/api/agents…`: the list, and what an administrator decides about an agent. */
export const agentResource = leaderResource({
  conditional: true,
  open: (context: LeaderContext): AgentsState => ({
    agents: context.agents,
    render: renderingFor(context),
    list: new AgentList(),
  }),
  routes: [
    route({
      method: 'GET',
      path: '/api/agents',
      summary: 'All agents',
      caller: 'user',
      answers: reads('Agents by name', z.array(AgentEntry)),
      handle: async (c, { agents: { directory }, render, list }) => {
        const agents = await listAgents(directory)
        return list.responseWith(agents.map((agent) => render(agent, c.env.principal))).answer(c)
      },
    }),
    route({
      ...decisionRoute,
      path: '/api/agents/:uuid/enable',
      summary: 'Enables an agent, or approves a pending one',
      audit: 'enable-agent',
      errors: [...decisionRoute.errors, 'agent-taken'],
      example: { answer: { message: `The agent ${SAMPLE.agent} is enabled` } },
      handle: async (c, { agents }) => {
        const uuid = c.req.param('uuid')
        const message = await readMessage(c.req.raw)
        const outcome = await approveAgent(agents, c.env.principal, { uuid, message })
        return json(describe(uuid, 'enabled', outcome))
      },
    }),
    route({
      ...decisionRoute,
      path: '/api/agents/:uuid/disable',
      summary: 'Disables an agent',
      audit: 'disable-agent',
      example: { answer: { message: `The agent ${SAMPLE.agent} is disabled` } },
      handle: async (c, { agents }) => {
        const uuid = c.req.param('uuid')
        const message = await readMessage(c.req.raw)
        const outcome = await retireAgent(agents, c.env.principal, uuid, message)
        return json(describe(uuid, 'disabled', outcome))
      },
    }),
    route({
      ...decisionRoute,
      method: 'PATCH',
      path: '/api/agents/:uuid',
      summary: 'Changes the configured resources, environments or host name of an agent',
      audit: 'change-agent',
      body: fieldsBody(ChangeBody),
      errors: ['agent-not-found', 'agent-not-listed', 'malformed-request', 'body-too-large'],
      example: {
        body: { resources: ['linux', 'docker'] },
        answer: { message: `The agent ${SAMPLE.agent} is as asked for` },
      },
      handle: async (c, { agents }) => {
        const uuid = c.req.param('uuid')
        const request = { uuid, ...(await readChanges(c.req.raw)) }
        const outcome = await changeListedAgent(agents, c.env.principal, request)
        return json(describe(uuid, 'as asked for', outcome))
      },
    }),
    route({
      ...decisionRoute,
      path: '/api/agents/:uuid/delete',
      summary: 'Deletes an idle, disabled agent',
      audit: 'delete-agent',
      errors: [
        'agent-not-found',
        'agent-not-deletable',
        'not-authorized',
        'malformed-request',
        'body-too-large',
      ],
      example: { answer: { message: `The agent ${SAMPLE.agent} is deleted` } },
      handle: async (c, { agents }) => {
        const uuid = c.req.param('uuid')
        const message = await readMessage(c.req.raw)
        const { setAside } = await removeAgent(agents, c.env.principal, uuid, message)
        return json(savedBody(`The agent ${uuid} is deleted`, setAside))
      },
    }),
  ],
})

function renderingFor({ builds, site }: LeaderContext): RenderAgent {
  const render = rememberedBy(site)
  return (agent, principal) => render(agent, locatorFor(builds, agent.uuid, principal))
}

/** `pipeline/counter/stage/counter/job`; empty without a job that the caller may know of. */
function locatorFor(
  { jobs, access }: LeaderContext['builds'],
  uuid: string,
  principal: Principal,
): string {
  const place = jobs.placeOf(uuid)
  if (place === null) return ''
  const pipeline = place.pipelineName
  const may = access.may(principal, { action: 'view-pipeline', pipeline })
  return may ? renderPlace(place) : ''
}

/** A form or JSON; a name that stands for nothing is refused, so that nothing is passed over. */
async function readChanges(
  request: Request,
): Promise<{ changes: AgentChangesBody; message: string }> {
  const { message = '', ...changes } = wellFormed(ChangeBody, await fieldsOf(request))
  const reason = message === '' ? messageOf(request) : checkedMessage(message, 'message')
  if (Object.keys(changes).length > 0) return { changes, message: reason }
  throw malformed('Nothing to change: resources, environments and hostname are absent', 'body')
}

async function fieldsOf(request: Request): Promise<unknown> {
  if (isJson(request)) {
    const body = await readBody(request, MAX_BODY_BYTES)
    return parseJson(Buffer.from(body).toString('utf8'))
  }
  const form = await readForm(request, MAX_BODY_BYTES)
  return Object.fromEntries(
    Array.from(form, ([name, values]) => {
      const texts = values.map((bytes) => Buffer.from(bytes).toString('utf8'))
      return [name, SINGLE_FIELDS.has(name) ? texts.at(-1) : texts]
    }),
  )
}

function describe(uuid: string, decision: string, { isNew, setAside }: Outcome): SavedBody {
  return savedBody(`The agent ${uuid} is ${decision}${isNew ? '' : ' already'}`, setAside)
}

/**
 * The last list of agents as an answer. It serves again, with its compressed forms, as long as the
 * list says the same of each agent: thousands of agents make megabytes.
 */
class AgentList {
  #entries: readonly string[] = []
  #response: CachedResponse | null = null

  /** The answer with these entries, each of them JSON. */
  responseWith(entries: readonly string[]): CachedResponse {
    if (this.#response === null || !areAlike(entries, this.#entries)) {
      this.#response = responseOf(`[${entries.join(',')}]`)
      this.#entries = entries
    }
    return this.#response
  }
}

function areAlike(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((entry, at) => entry === other[at])
}

function responseOf(text: string): CachedResponse {
  const bytes = new TextEncoder().encode(text)
  const type = 'application/json; charset=utf-8'
  return new CachedResponse(bytes, { type, etag: digestOf(bytes), immutable: false })
}

/** Caches the rendering of an agent until its next contact. */
function rememberedBy({
  clientNames,
}: LeaderContext['site']): (agent: KnownAgent, buildLocator: string) => string {
  const kept = new WeakMap<KnownAgent, { readonly buildLocator: string; readonly text: string }>()
  return (agent, buildLocator) => {
    const known = kept.get(agent)
    if (known?.buildLocator === buildLocator) return known.text
    const text = JSON.stringify(renderAgent(agent, buildLocator, clientNames))
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
    status: agentStatusOf(agent),
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
