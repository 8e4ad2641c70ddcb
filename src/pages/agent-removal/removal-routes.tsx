import type { Context } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../core/errors.ts'
import type { AgentOutcome } from '../agents/act-on-agents.ts'
import { readRemovals, REMOVAL_STEPS, type StepRequest, takeStep } from './removal.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import { pageResponse } from '../frame/page-response.ts'
import { defineLeaderPage, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { noteOutcomes } from '../agents/agents-routes.tsx'
import { afterStep, disabledHere, parseRemovalQuery, type RemovalQuery } from './removal-query.ts'
import { RemovalView } from './removal-view.tsx'

const Fields = z.object({ step: z.enum(REMOVAL_STEPS) })
const SEVERAL = '/agents/remove'
const ONE = '/agents/:uuid/remove'

type OneContext = Context<RouteEnv, typeof ONE>

const { get, formAt } = routesWith<LeaderPagesContext>()
const rules = { scope: 'operate', errors: ['not-authorized'], fields: Fields } as const

/** The removal of one agent or of several, which the address names: disable, stop, delete. */
export const removalPages = defineLeaderPage([
  get(SEVERAL, (context, c) => answer(context, c, { query: parseRemovalQuery(c.req.queries()) })),
  formAt(SEVERAL, {
    ...rules,
    act: async (context, c, { fields: { step } }) => {
      const query = parseRemovalQuery(c.req.queries())
      const chosen = step === 'enable' ? disabledHere(query) : query.leaving
      const uuids = chosen.map(({ uuid }) => uuid)
      const outcomes = await take(context, c, { step, uuids, isForced: false })
      const after = afterStep(query, { step, outcomes, now: context.clock() })
      return answer(context, c, { query: after, outcomes })
    },
  }),
  get(ONE, (context, c) => answer(context, c, { query: queryOfOne(context, c), isAlone: true })),
  formAt(ONE, {
    ...rules,
    act: async (context, c, { fields: { step } }) => {
      const { links } = context.pages
      const uuid = c.req.param('uuid')
      const outcomes = await take(context, c, { step, uuids: [uuid], isForced: true })
      const [outcome] = outcomes
      if (outcome?.isDone !== true) {
        const query = queryOfOne(context, c)
        return answer(context, c, { query, outcomes, isAlone: true, status: 409 })
      }
      if (step === 'enable') return c.redirect(links.agent(uuid), 303)
      const query = step === 'delete' ? { gone: outcome.name } : { since: context.clock() }
      return c.redirect(links.removeAgent(uuid, query), 303)
    },
  }),
])

async function take(
  { agents }: LeaderPagesContext,
  c: Context<RouteEnv>,
  request: StepRequest,
): Promise<readonly AgentOutcome[]> {
  const outcomes = await takeStep(agents, c.env.principal, request)
  noteOutcomes(agents, c, outcomes)
  return outcomes
}

/** The agent of the address, as leaving, or as gone where the caller has removed it. */
function queryOfOne({ agents }: LeaderPagesContext, c: OneContext): RemovalQuery {
  const uuid = c.req.param('uuid')
  const { gone, since } = c.req.query()
  if (gone !== undefined && agents.removed.has(c.env.principal, { uuid, name: gone })) {
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
  { pages, agents }: LeaderPagesContext,
  c: Context<RouteEnv>,
  { query: { leaving, gone }, outcomes = [], isAlone = false, status = 200 }: Answered,
): Promise<Response> {
  const { directory, removed } = agents
  const { principal } = c.env
  const query = { leaving, gone: gone.filter((agent) => removed.has(principal, agent)) }
  const uuids = leaving.map(({ uuid }) => uuid)
  const removals = await readRemovals(agents, principal, uuids)
  const [uuid] = uuids
  if (isAlone && uuid !== undefined && removals.length === 0) {
    throw new ServiceError('agent-not-found', `There is no agent ${uuid}`, { uuid })
  }
  const back = query.gone.filter((agent) => directory.find(agent.uuid) !== null)
  const view = { ...pages.open(c), query, removals, back, outcomes, isAlone }
  return pageResponse(<RemovalView {...view} />, status)
}
