import { type Context, Hono } from 'hono'
import type { Clock } from '../../lib/clock.ts'
import { isOver, type JobName, type JobPageDeps, readConsoleOf, readJobPage } from './job-page.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import { PAGE_HEADERS, pageResponse, WITH_FRAMES } from '../frame/page-response.ts'
import type { PageContext } from '../frame/page-context.ts'
import { consoleHtml } from './console-html.ts'
import { JobView } from './job-view.tsx'

export interface JobPageRoutesOptions extends JobPageDeps {
  readonly pages: PageContext
  readonly clock: Clock
}

const JOB = '/stages/:pipeline/:stage/:pipelineCounter/:stageCounter/:job'

/** `/stages/…/[job]`: one job, and the lines of its console for the script that updates it. */
export function jobPageRoutes(options: JobPageRoutesOptions) {
  const { pages, clock } = options
  return new Hono<RouteEnv>()
    .get(JOB, async (c) => {
      const { principal } = c.env
      const tab = c.req.query('tab') ?? null
      const page = await readJobPage(options, principal, { ...nameOf(c), tab })
      const now = clock()
      const frame = pages.frame(c.req.raw, principal)
      const view = { frame, page, isOver: isOver(page.job, now), now }
      return pageResponse(<JobView {...view} />, 200, WITH_FRAMES)
    })
    .get(`${JOB}/console`, async (c) => {
      const line = parseWholeNumber(c.req.query('startLineNumber') ?? '0', 'startLineNumber')
      const part = await readConsoleOf(options, c.env.principal, { ...nameOf(c), line })
      const headers = { 'x-next-line': `${part.next}`, 'x-ended': `${part.isEnded}` }
      return new Response(`<!doctype html><ol>${consoleHtml(part)}</ol>`, {
        headers: { ...PAGE_HEADERS, 'cache-control': 'no-store', ...headers },
      })
    })
}

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
