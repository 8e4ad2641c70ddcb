import type { Context } from 'hono'
import { compareRuns, type RunComparisonRequest } from '../../builds/compare/compare-runs.ts'
import { startPipeline } from '../../builds/runs/start-runs.ts'
import { ServiceError } from '../../core/errors.ts'
import { malformed, parseWholeNumber } from '../../http/parameters.ts'
import { readForm, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { pageResponse } from '../frame/page-response.ts'
import { defineLeaderPage, pageWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { type Refusal, refusalOf } from '../runs/refusal.ts'
import { RunComparisonView } from './run-comparison-view.tsx'

const MAX_FORM_BYTES = 16_384
const LAST_PASSED = 'last-passed'
const PATH = '/pipelines/:name/compare/:from/:to'

type PageContext = Context<RouteEnv, typeof PATH>

const route = pageWith<LeaderPagesContext>()

/** `/pipelines/[name]/compare/[from]/[to]`: what changed between two runs. */
export const runComparisonPage = defineLeaderPage({
  open: (context) => context,
  routes: [
    route({
      method: 'GET',
      path: PATH,
      handle: (c, context) => answer(context, c, null),
    }),
    route({
      method: 'POST',
      path: PATH,
      scope: 'operate',
      handle: async (c, context) => {
        const form = await readForm(c.req.raw, MAX_FORM_BYTES)
        const action = textField(form, 'action') ?? ''
        if (action !== 'run-again') throw malformed(`"${action}" is not an action`, 'action')
        const outcome = await refusalOf(c.env, () => runAgain(context, c))
        if ('done' in outcome) return c.redirect(outcome.done, 303)
        return answer(context, c, outcome.refusal)
      },
    }),
  ],
})

function requestOf(c: PageContext): RunComparisonRequest {
  const { name: pipeline, from, to } = c.req.param()
  return {
    pipeline,
    from: from === LAST_PASSED ? from : parseWholeNumber(from, 'from'),
    to: parseWholeNumber(to, 'to'),
    stage: c.req.query('stage') ?? null,
  }
}

/** Starts a run by the configuration of the earlier one, and returns the address of its first stage. */
async function runAgain({ pages, builds }: LeaderPagesContext, c: PageContext): Promise<string> {
  const { principal } = c.env
  const asked = requestOf(c)
  const { from, configuration } = await compareRuns(builds, principal, asked)
  const { name: pipeline, counter } = from
  const target = `/api/pipelines/${encodeURIComponent(pipeline)}/schedule`
  c.env.auditActions = [{ action: 'schedule-pipeline', target }]
  if (configuration.from === null) {
    const reason = `the run ${counter} did not record by which configuration it was made`
    const facts = { pipeline, stage: '', reason }
    throw new ServiceError(
      'not-schedulable',
      `The pipeline ${pipeline} cannot run so: ${reason}`,
      facts,
    )
  }
  const options = { variables: [], pins: [], configuration: configuration.from.commit }
  const run = await startPipeline(builds, principal, { pipeline, options })
  const flash = pages.flash.query(principal, 'scheduled', `${run.name} / ${run.counter}`)
  return pages.links.pipeline(run.name, flash)
}

async function answer(
  { pages, clock, builds }: LeaderPagesContext,
  c: PageContext,
  refusal: Refusal | null,
): Promise<Response> {
  const { principal } = c.env
  const found = await compareRuns(builds, principal, requestOf(c))
  const group = builds.pipelines.find(found.pipeline)?.group
  const view = {
    frame: pages.frame(c.req.raw, principal),
    found,
    flash: refusal?.flash ?? pages.flash.take(c),
    mayAdminister:
      group !== undefined && builds.access.may(principal, { action: 'administer-group', group }),
    now: clock(),
  }
  return pageResponse(<RunComparisonView {...view} />, refusal?.status)
}
