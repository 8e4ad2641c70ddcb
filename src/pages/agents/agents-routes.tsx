import { type Context, Hono } from 'hono'
import { parseOffset } from '../../core/page.ts'
import type { Clock } from '../../lib/clock.ts'
import type { AgentAdministrationDeps } from '../../agents/administer-agents.ts'
import type { InvitationDeps } from '../../identities/invitations.ts'
import type { AgentNames } from '../../document/agents/agent-edits.ts'
import {
  actOnAgents,
  AGENT_ACTIONS,
  NO_NAMES,
  type AgentAction,
  type AgentOutcome,
} from './act-on-agents.ts'
import { type AgentPageDeps, readAgentPage } from './agent-page.ts'
import { readAgentsPage } from './agents-page.ts'
import type { AuditAction, RouteEnv } from '../../http/request-context.ts'
import { malformed } from '../../http/parameters.ts'
import { type Form, readForm, textField } from '../../http/request-body.ts'
import { pageResponse } from '../frame/page-response.ts'
import type { PageContext } from '../frame/page-context.ts'
import { AgentView } from './agent-view.tsx'
import { parseAgentsQuery } from './agents-query.ts'
import { AgentsView } from './agents-view.tsx'
import { JOB_RUN_COLUMNS, type JobRunOrder } from './job-runs.tsx'
import type { RemovedAgents } from './removed-agents.ts'

export interface AgentsRoutesOptions
  extends AgentPageDeps, AgentAdministrationDeps, Pick<InvitationDeps, 'invitations'> {
  readonly pages: PageContext
  readonly clock: Clock
  readonly removed: RemovedAgents
}

/** Enough for all agents of a page, each with its uuid, and the other fields. */
const MAX_FORM_BYTES = 65_536

/** `/agents` and `/agents/[uuid]`: the agents, and the actions of administrators on them. */
export function agentsRoutes(options: AgentsRoutesOptions) {
  const { pages } = options
  return new Hono<RouteEnv>()
    .get('/agents', (c) => answerList(options, c, {}))
    .post('/agents', async (c) => {
      const form = await readForm(c.req.raw, MAX_FORM_BYTES)
      const uuids = (form.get('agent') ?? []).map((bytes) => Buffer.from(bytes).toString('utf8'))
      const asked = textField(form, 'action') ?? ''
      if (uuids.length === 0) return answerList(options, c, { refusal: NONE_SELECTED })
      if (asked !== 'remove') {
        const action = actionOf(asked)
        const names = namesIn(form)
        if (isNameless(action, names)) return answerList(options, c, { refusal: NO_NAME, uuids })
        const outcomes = await actOnAgents(options, c.env.principal, { action, uuids, names })
        c.env.auditActions = outcomes.map(auditActionOf)
        options.removed.note(c.env.principal, outcomes)
        return answerList(options, c, { outcomes, names })
      }
      const [uuid = ''] = uuids
      if (uuids.length > 1) {
        return c.redirect(pages.links.removeAgents(uuids.map((each) => ['agent', each])), 303)
      }
      return c.redirect(pages.links.removeAgent(uuid), 303)
    })
    .get('/agents/:uuid', (c) => answerOne(options, c, null))
    .post('/agents/:uuid', async (c) => {
      const form = await readForm(c.req.raw, MAX_FORM_BYTES)
      const claim = textField(form, 'claim')
      const action = claim === null ? actionOf(textField(form, 'action') ?? '') : 'enable'
      const names = namesIn(form)
      if (isNameless(action, names)) throw malformed(NO_NAME, 'resources')
      const request = { action, uuids: [c.req.param('uuid')], names, claim }
      const outcomes = await actOnAgents(options, c.env.principal, request)
      c.env.auditActions = outcomes.map(auditActionOf)
      options.removed.note(c.env.principal, outcomes)
      const [outcome = null] = outcomes
      if (action === 'delete' && outcome?.isDone === true) {
        const gone = pages.links.removeAgent(outcome.uuid, { gone: outcome.name })
        return c.redirect(gone, 303)
      }
      return answerOne(options, c, outcome)
    })
}

/** The entry of the audit log for the action on one agent. */
export function auditActionOf({ uuid, action, reason }: AgentOutcome): AuditAction {
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
  const texts = (form.get(field) ?? []).map((bytes) => Buffer.from(bytes).toString('utf8'))
  return texts
    .flatMap((text) => text.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

export function actionOf(text: string): AgentAction {
  const action = AGENT_ACTIONS.find((each) => each === text)
  if (action !== undefined) return action
  throw malformed(`"${text}" is not an action: ${AGENT_ACTIONS.join(', ')}`, 'action')
}

async function answerList(
  { pages, clock, ...deps }: AgentsRoutesOptions,
  c: Context<RouteEnv>,
  result: {
    outcomes?: readonly AgentOutcome[]
    refusal?: string
    uuids?: readonly string[]
    names?: AgentNames
  },
): Promise<Response> {
  const { principal } = c.env
  const query = parseAgentsQuery(c.req.query())
  const page = await readAgentsPage(deps, principal, query)
  const frame = pages.frame(c.req.raw, principal)
  const { outcomes = [], refusal = null, names = NO_NAMES } = result
  const refused = outcomes.filter(({ isDone }) => !isDone).map(({ uuid }) => uuid)
  const selected = new Set(result.uuids ?? refused)
  const kept = refused.length > 0 ? names : NO_NAMES
  const invitations = page.mayAdminister ? await deps.invitations.list() : []
  const shown = { outcomes, refusal, selected, names: kept, invitations }
  const view = { frame, page, query, ...shown, now: clock() }
  return pageResponse(<AgentsView {...view} />, refusal === null ? 200 : 409)
}

async function answerOne(
  { pages, clock, ...deps }: AgentsRoutesOptions,
  c: Context<RouteEnv, '/agents/:uuid'>,
  outcome: AgentOutcome | null,
): Promise<Response> {
  const { principal } = c.env
  const { offset = '0', sort = '' } = c.req.query()
  const asked = { uuid: c.req.param('uuid'), offset: parseOffset(offset) }
  const page = await readAgentPage(deps, principal, asked)
  const frame = pages.frame(c.req.raw, principal)
  const view = { frame, page, order: parseOrder(sort), outcome, now: clock() }
  return pageResponse(<AgentView {...view} />, outcome === null || outcome.isDone ? 200 : 409)
}

function parseOrder(text: string): JobRunOrder {
  if (text === '') return { column: 'completed', isDescending: true }
  const isDescending = text.startsWith('-')
  const name = text.slice(isDescending ? 1 : 0)
  const column = JOB_RUN_COLUMNS.find((each) => each === name)
  if (column !== undefined) return { column, isDescending }
  throw malformed(`"${name}" is not a column: ${JOB_RUN_COLUMNS.join(', ')}`, 'sort')
}
