import type { Context } from 'hono'
import { isOver, type JobName, readConsoleOf, readJobPage } from './job-page.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import { PAGE_HEADERS, pageResponse, WITH_FRAMES } from '../frame/page-response.ts'
import { defineLeaderPage, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { consoleHtml } from './console-html.ts'
import { JobView } from './job-view.tsx'

const JOB = '/stages/:pipeline/:stage/:pipelineCounter/:stageCounter/:job'

const { get } = routesWith<LeaderPagesContext>()

/** `/stages/…/[job]`: one job, and the lines of its console for the script that updates it. */
export const jobPage = defineLeaderPage([
  get(JOB, async ({ pages, builds }, c) => {
    const { principal } = c.env
    const tab = c.req.query('tab') ?? null
    const shown = await readJobPage(builds, principal, { ...nameOf(c), tab })
    const open = pages.open(c)
    const view = { ...open, page: shown, isOver: isOver(shown.job, open.now) }
    return pageResponse(<JobView {...view} />, 200, WITH_FRAMES)
  }),
  get(`${JOB}/console`, async ({ builds, clock }, c) => {
    const line = parseWholeNumber(c.req.query('startLineNumber') ?? '0', 'startLineNumber')
    const part = await readConsoleOf({ ...builds, clock }, c.env.principal, {
      ...nameOf(c),
      line,
    })
    const headers = { 'x-next-line': `${part.next}`, 'x-ended': `${part.isEnded}` }
    return new Response(`<!doctype html><ol>${consoleHtml(part, part)}</ol>`, {
      headers: { ...PAGE_HEADERS, 'cache-control': 'no-store', ...headers },
    })
  }),
])

function nameOf(c: Context<RouteEnv, typeof JOB>): JobName {
  const { pipeline, stage, pipelineCounter, stageCounter, job } = c.req.param()
  return {
    pipeline,
    stage,
    pipelineCounter: parseWholeNumber(pipelineCounter, 'pipeline-counter'),
    stageCounter: parseWholeNumber(stageCounter, 'stage-counter'),
    job,
  }
}
