import { type Context, Hono } from 'hono'
import type { AgentOutcome } from '../agents/act-on-agents.ts'
import { readRemovals } from './removal.ts'
import { REMOVAL_STEPS, type RemovalStep, removeTogether } from './remove-together.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { malformed } from '../../http/parameters.ts'
import { readForm, textField } from '../../http/request-body.ts'
import { pageResponse } from '../frame/page-response.ts'
import { auditActionOf } from '../agents/agents-routes.tsx'
import type { RemoveRoutesOptions } from './remove-routes.tsx'
import {
  afterStep,
  disabledHere,
  parseRemovalsQuery,
  type RemovalsQuery,
} from './removals-query.ts'
import { RemovalsView } from './removals-view.tsx'

const LARGEST_FORM = 4_096

/** `/agents/remove`: the removal of several agents. The address names them. */
export function removalsRoutes(options: RemoveRoutesOptions) {
  return new Hono<RouteEnv>()
    .get('/agents/remove', (c) => answer(options, c, parseRemovalsQuery(c.req.queries()), []))
    .post('/agents/remove', async (c) => {
      const query = parseRemovalsQuery(c.req.queries())
      const step = stepOf(textField(await readForm(c.req.raw, LARGEST_FORM), 'step') ?? '')
      const chosen = step === 'enable' ? disabledHere(query) : query.leaving
      const uuids = chosen.map(({ uuid }) => uuid)
      const outcomes = await removeTogether(options, c.env.principal, { step, uuids })
      c.env.auditActions = outcomes.map(auditActionOf)
      options.removed.note(c.env.principal, outcomes)
      const now = options.clock()
      return answer(options, c, afterStep(query, { step, outcomes, now }), outcomes)
    })
}

async function answer(
  options: RemoveRoutesOptions,
  c: Context<RouteEnv>,
  { leaving, gone }: RemovalsQuery,
  outcomes: readonly AgentOutcome[],
): Promise<Response> {
  const { pages, clock, directory, removed } = options
  const { principal } = c.env
  const query = { leaving, gone: gone.filter((agent) => removed.has(principal, agent)) }
  const uuids = leaving.map(({ uuid }) => uuid)
  const removals = await readRemovals(options, principal, uuids)
  const back = query.gone.filter(({ uuid }) => directory.find(uuid) !== null)
  const frame = pages.frame(c.req.raw, principal)
  const view = { frame, query, removals, back, outcomes, now: clock() }
  return pageResponse(<RemovalsView {...view} />)
}

function stepOf(text: string): RemovalStep {
  const step = REMOVAL_STEPS.find((each) => each === text)
  if (step !== undefined) return step
  throw malformed(`"${text}" is not a step: ${REMOVAL_STEPS.join(', ')}`, 'step')
}
