import { type Context, Hono } from 'hono'
import type { AgentAdministrationDeps } from '../../agents/administer-agents.ts'
import { ServiceError } from '../../core/errors.ts'
import type { AgentOutcome } from '../agents/act-on-agents.ts'
import {
  readRemovals,
  REMOVAL_STEPS,
  type RemovalDeps,
  type RemovalStep,
  type StepRequest,
  takeStep,
} from './removal.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { malformed, parseWholeNumber } from '../../http/parameters.ts'
import { readForm, textField } from '../../http/request-body.ts'
import { pageResponse } from '../frame/page-response.ts'
import type { PageContext } from '../frame/page-context.ts'
import { auditActionOf } from '../agents/agents-routes.tsx'
import type { RemovedAgents } from '../agents/removed-agents.ts'
import { afterStep, disabledHere, parseRemovalQuery, type RemovalQuery } from './removal-query.ts'
import { RemovalView } from './removal-view.tsx'

export interface RemovalRoutesOptions extends RemovalDeps, AgentAdministrationDeps {
  readonly pages: PageContext
  readonly removed: RemovedAgents
}

const MAX_FORM_BYTES = 4_096
const SEVERAL = '/agents/remove'
const ONE = '/agents/:uuid/remove'

type OneContext = Context<RouteEnv, typeof ONE>

/** The removal of one agent or of several, which the address names: disable, stop, delete. */
export function removalRoutes(options: RemovalRoutesOptions) {
  const { pages, clock } = options
  return new Hono<RouteEnv>()
    .get(SEVERAL, (c) => answer(options, c, { query: parseRemovalQuery(c.req.queries()) }))
    .post(SEVERAL, async (c) => {
      const query = parseRemovalQuery(c.req.queries())
      const step = await stepIn(c)
      const chosen = step === 'enable' ? disabledHere(query) : query.leaving
      const uuids = chosen.map(({ uuid }) => uuid)
      const outcomes = await take(options, c, { step, uuids, isForced: false })
      const after = afterStep(query, { step, outcomes, now: clock() })
      return answer(options, c, { query: after, outcomes })
    })
    .get(ONE, (c) => answer(options, c, { query: queryOfOne(options, c), isAlone: true }))
    .post(ONE, async (c) => {
      const uuid = c.req.param('uuid')
      const step = await stepIn(c)
      const outcomes = await take(options, c, { step, uuids: [uuid], isForced: true })
      const [outcome] = outcomes
      if (outcome?.isDone !== true) {
        const query = queryOfOne(options, c)
        return answer(options, c, { query, outcomes, isAlone: true, status: 409 })
      }
      if (step === 'enable') return c.redirect(pages.links.agent(uuid), 303)
      const query = step === 'delete' ? { gone: outcome.name } : { since: clock() }
      return c.redirect(pages.links.removeAgent(uuid, query), 303)
    })
}

async function stepIn(c: Context<RouteEnv>): Promise<RemovalStep> {
  const text = textField(await readForm(c.req.raw, MAX_FORM_BYTES), 'step') ?? ''
  const step = REMOVAL_STEPS.find((each) => each === text)
  if (step !== undefined) return step
  throw malformed(`"${text}" is not a step: ${REMOVAL_STEPS.join(', ')}`, 'step')
}

async function take(
  options: RemovalRoutesOptions,
  c: Context<RouteEnv>,
  request: StepRequest,
): Promise<readonly AgentOutcome[]> {
  const outcomes = await takeStep(options, c.env.principal, request)
  c.env.auditActions = outcomes.map(auditActionOf)
  options.removed.note(c.env.principal, outcomes)
  return outcomes
}

/** The agent of the address, as leaving, or as gone where the caller has removed it. */
function queryOfOne({ removed }: RemovalRoutesOptions, c: OneContext): RemovalQuery {
  const uuid = c.req.param('uuid')
  const { gone, since } = c.req.query()
  if (gone !== undefined && removed.has(c.env.principal, { uuid, name: gone })) {
    return { leaving: [], gone: [{ uuid, name: gone }] }
  }
  const at = since === undefined ? null : parseWholeNumber(since, 'since')
  return { leaving: [{ uuid, since: at }], gone: [] }
}

interface Answered {
  readonly query: RemovalQuery
  readonly outcomes?: readonly AgentOutcome[]
  /** Whether the page is about one agent, which has to exist. */
  readonly isAlone?: boolean
  readonly status?: number
}

async function answer(
  options: RemovalRoutesOptions,
  c: Context<RouteEnv>,
  { query: { leaving, gone }, outcomes = [], isAlone = false, status = 200 }: Answered,
): Promise<Response> {
  const { pages, clock, directory, removed } = options
  const { principal } = c.env
  const query = { leaving, gone: gone.filter((agent) => removed.has(principal, agent)) }
  const uuids = leaving.map(({ uuid }) => uuid)
  const removals = await readRemovals(options, principal, uuids)
  const [uuid] = uuids
  if (isAlone && uuid !== undefined && removals.length === 0) {
    throw new ServiceError('agent-not-found', `There is no agent ${uuid}`, { uuid })
  }
  const back = query.gone.filter((agent) => directory.find(agent.uuid) !== null)
  const frame = pages.frame(c.req.raw, principal)
  const view = { frame, query, removals, back, outcomes, isAlone, now: clock() }
  return pageResponse(<RemovalView {...view} />, status)
}
