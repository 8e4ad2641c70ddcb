import type { Context } from 'hono'
import { z } from 'zod'
import { compareRuns, type RunComparisonRequest } from '../../builds/compare/compare-runs.ts'
import { startPipeline } from '../../builds/runs/start-runs.ts'
import { ServiceError } from '../../core/errors.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { FormDone } from '../frame/form-action.ts'
import { pageResponse } from '../frame/page-response.ts'
import { defineLeaderPage, routesWith } from '../frame/page-routes.ts'
import { splitEntity } from '../../document/entities/entities.ts'
import { undoneWith } from '../entity/entity-history.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import type { Refusal } from '../runs/refusal.ts'
import { RunComparisonView } from './run-comparison-view.tsx'

const LAST_PASSED = 'last-passed'
const PATH = '/pipelines/:name/compare/:from/:to'

type PageContext = Context<RouteEnv, typeof PATH>

const { get, formAt } = routesWith<LeaderPagesContext>()

/** `/pipelines/[name]/compare/[from]/[to]`: what changed between two runs. */
export const runComparisonPage = defineLeaderPage([
  get(PATH, answer),
  formAt(PATH, {
    scope: 'operate',
    fields: z.object({ action: z.literal('run-again') }),
    act: runAgain,
    refused: answer,
  }),
])

function requestOf(c: PageContext): RunComparisonRequest {
  const { name: pipeline, from, to } = c.req.param()
  return {
    pipeline,
    from: from === LAST_PASSED ? from : parseWholeNumber(from, 'from'),
    to: parseWholeNumber(to, 'to'),
    stage: c.req.query('stage') ?? null,
  }
}

/** Starts a run by the configuration of the earlier one. */
async function runAgain({ pages, builds }: LeaderPagesContext, c: PageContext): Promise<FormDone> {
  const { principal } = c.env
  const asked = requestOf(c)
  const { from, configuration } = await compareRuns(builds, principal, asked)
  const { name: pipeline, counter } = from
  const target = `/api/pipelines/${encodeURIComponent(pipeline)}/schedule`
  c.env.auditActions = [{ action: 'schedule-pipeline', target }]
  if (configuration.from === null) {
    const reason = `the run ${counter} did not record its configuration`
    const facts = { pipeline, stage: '', reason }
    throw new ServiceError(
      'not-schedulable',
      `The pipeline ${pipeline} cannot run like this: ${reason}`,
      facts,
    )
  }
  const options = { variables: [], pins: [], configuration: configuration.from.commit }
  const run = await startPipeline(builds, principal, { pipeline, options })
  return {
    says: ['scheduled', `${run.name} / ${run.counter}`],
    to: (flash) => pages.links.pipeline(run.name, flash),
  }
}

async function answer(
  { pages, builds }: LeaderPagesContext,
  c: PageContext,
  refusal: Refusal | null = null,
): Promise<Response> {
  const { principal } = c.env
  const found = await compareRuns(builds, principal, requestOf(c))
  const group = builds.pipelines.find(found.pipeline)?.group
  const view = {
    found,
    ...pages.openWithMessage(c, refusal),
    mayAdminister:
      group !== undefined && builds.access.may(principal, { action: 'administer-group', group }),
    undoneWith: (entity: string) =>
      undoneWith(builds, principal, { ...splitEntity(entity), stage: null }),
  }
  return pageResponse(<RunComparisonView {...view} />, refusal?.status)
}
