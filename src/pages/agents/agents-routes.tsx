import type { Context } from 'hono'
import { z } from 'zod'
import { parseOffset } from '../../core/page.ts'
import type { AgentNames } from '../../document/agents/agent-edits.ts'
import {
  actOnAgents,
  AGENT_ACTIONS,
  NO_NAMES,
  type AgentAction,
  type AgentActionRequest,
  type AgentOutcome,
} from './act-on-agents.ts'
import { readAgentPage } from './agent-page.ts'
import { readAgentsPage } from './agents-page.ts'
import type { AuditAction, RouteEnv } from '../../http/request-context.ts'
import { malformed } from '../../http/parameters.ts'
import { type Form, textsIn } from '../../http/request-body.ts'
import { pageResponse } from '../frame/page-response.ts'
import { defineLeaderPage, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { AgentView } from './agent-view.tsx'
import { parseAgentsQuery } from './agents-query.ts'
import { AgentsView } from './agents-view.tsx'
import { JOB_RUN_ORDERS } from './job-runs.tsx'

const { get, formAt } = routesWith<LeaderPagesContext>()

/** `/agents` and `/agents/[uuid]`: the agents, and the actions of administrators on them. */
export const agentsPages = defineLeaderPage([
  get('/agents', answerList),
  formAt('/agents', {
    scope: 'operate',
    fields: z.object({ action: z.enum([...AGENT_ACTIONS, 'remove']) }),
    act: async (context, c, { fields: { action }, form }) => {
      const { links } = context.pages
      const uuids = textsIn(form, 'agent')
      const [uuid] = uuids
      if (uuid === undefined) return answerList(context, c, { refusal: NONE_SELECTED })
      if (action === 'remove') {
        c.env.isNews = false
        const several = uuids.map((each) => ['agent', each] as const)
        return c.redirect(
          several.length > 1 ? links.removeAgents(several) : links.removeAgent(uuid),
          303,
        )
      }
      const names = namesIn(form)
      if (isNameless(action, names)) return answerList(context, c, { refusal: NO_NAME, uuids })
      const outcomes = await actAndNote(context, c, { action, uuids, names })
      return answerList(context, c, { outcomes, names })
    },
  }),
  get('/agents/:uuid', answerOne),
  formAt('/agents/:uuid', {
    scope: 'operate',
    fields: z.object({
      claim: z.string().nullable().default(null),
      action: z.enum(AGENT_ACTIONS).optional(),
    }),
    act: async (context, c, { fields, form }) => {
      const { claim } = fields
      const action = claim === null ? fields.action : 'enable'
      if (action === undefined) throw malformed('Unknown action', 'action')
      const names = namesIn(form)
      if (isNameless(action, names)) throw malformed(NO_NAME, 'resources')
      const request = { action, uuids: [c.req.param('uuid')], names, claim }
      const [outcome = null] = await actAndNote(context, c, request)
      if (action === 'delete' && outcome?.isDone === true) {
        const gone = { gone: outcome.name }
        return c.redirect(context.pages.links.removeAgent(outcome.uuid, gone), 303)
      }
      return answerOne(context, c, outcome)
    },
  }),
])

/** Acts on agents, and records what became of each: in the audit log, and for the pages of removed agents. */
async function actAndNote(
  { agents }: LeaderPagesContext,
  c: Context<RouteEnv>,
  request: AgentActionRequest,
): Promise<readonly AgentOutcome[]> {
  const outcomes = await actOnAgents(agents, c.env.principal, request)
  noteOutcomes(agents, c, outcomes)
  return outcomes
}

export function noteOutcomes(
  { removed }: LeaderPagesContext['agents'],
  c: Context<RouteEnv>,
  outcomes: readonly AgentOutcome[],
): void {
  c.env.auditActions = outcomes.map(auditActionOf)
  removed.note(c.env.principal, outcomes)
}

/** The entry of the audit log for the action on one agent. */
function auditActionOf({ uuid, action, reason }: AgentOutcome): AuditAction {
  const target = `/api/agents/${encodeURIComponent(uuid)}`
  const ended = { reason }
  if (action === 'add' || action === 'take') return { action: 'change-agent', target, ended }
  return { action: `${action}-agent`, target: `${target}/${action}`, ended }
}

const NONE_SELECTED = 'No agents selected.'
const NO_NAME = 'No resource or environment given'

function isNameless(action: AgentAction, { resources, environments }: AgentNames): boolean {
  return ['add', 'take'].includes(action) && resources.length + environments.length === 0
}

/** The resources, separated by commas, and the environments of a form. */
export function namesIn(form: Form): AgentNames {
  return { resources: listIn(form, 'resources'), environments: listIn(form, 'environments') }
}

function listIn(form: Form, field: string): string[] {
  return namesOf(textsIn(form, field))
}

function namesOf(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => text.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

async function answerList(
  { pages, agents, identities }: LeaderPagesContext,
  c: Context<RouteEnv>,
  result: {
    outcomes?: readonly AgentOutcome[]
    refusal?: string
    uuids?: readonly string[]
    names?: AgentNames
  } = {},
): Promise<Response> {
  const { principal } = c.env
  const query = parseAgentsQuery(c.req.query())
  const page = await readAgentsPage(agents, principal, query)
  const { outcomes = [], refusal = null } = result
  const names = result.names ?? namesAskedFor(c)
  const refused = outcomes.filter(({ isDone }) => !isDone).map(({ uuid }) => uuid)
  const selected = new Set(result.uuids ?? refused)
  const kept = outcomes.length === 0 || refused.length > 0 ? names : NO_NAMES
  const invitations = page.mayAdminister ? await identities.invitations.list() : []
  const shown = { outcomes, refusal, selected, names: kept, invitations }
  const server = pages.serverAddress(c.req.raw)
  const view = { ...pages.open(c), server, page, query, ...shown }
  return pageResponse(<AgentsView {...view} />, refusal === null ? 200 : 409)
}

/** The resources that another page proposes to give to agents. */
function namesAskedFor(c: Context<RouteEnv>): AgentNames {
  const { resources = '' } = c.req.query()
  return { resources: namesOf([resources]), environments: [] }
}

async function answerOne(
  { pages, agents }: LeaderPagesContext,
  c: Context<RouteEnv, '/agents/:uuid'>,
  outcome: AgentOutcome | null = null,
): Promise<Response> {
  const { principal } = c.env
  const { offset = '0', sort = '' } = c.req.query()
  const asked = { uuid: c.req.param('uuid'), offset: parseOffset(offset) }
  const page = await readAgentPage(agents, principal, asked)
  const view = { ...pages.open(c), page, order: JOB_RUN_ORDERS.parse(sort), outcome }
  return pageResponse(<AgentView {...view} />, outcome === null || outcome.isDone ? 200 : 409)
}
