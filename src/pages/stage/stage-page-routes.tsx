import type { Context } from 'hono'
import { parseOffset } from '../../core/page.ts'
import { cancelRun } from '../../builds/runs/cancel-run.ts'
import { startStage, type JobChoice } from '../../builds/runs/start-runs.ts'
import { readStagePage } from './stage-page.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { malformed, parseWholeNumber } from '../../http/parameters.ts'
import { type Form, readForm, textField } from '../../http/request-body.ts'
import { pageResponse } from '../frame/page-response.ts'
import { defineLeaderPage, pageWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { assertShown, type Refusal, refusalOf } from '../runs/refusal.ts'
import { runAction } from '../runs/run-action.ts'
import { StageView } from './stage-view.tsx'

/** Enough for the names of all jobs of a large stage. */
const MAX_FORM_BYTES = 262_144

/** The actions that are confirmed on the page. */
const CONFIRMED = ['cancel', 'run'] as const

const RUN = '/stages/:pipeline/:stage/:pipelineCounter/:stageCounter'
type StageContext = Context<RouteEnv, '/stages/:pipeline/:stage'>
type RunContext = Context<RouteEnv, typeof RUN>

const route = pageWith<LeaderPagesContext>()

/** `/stages/…`: the runs of a stage, one of them in full, and the actions on it. */
export const stagePages = defineLeaderPage({
  open: (context) => context,
  routes: [
    route({
      method: 'GET',
      path: '/stages/:pipeline/:stage',
      handle: (c, context) => answer(context, c, { run: null, refusal: null }),
    }),
    route({
      method: 'GET',
      path: RUN,
      handle: (c, context) => answer(context, c, { run: runOf(c), refusal: null }),
    }),
    route({
      method: 'POST',
      path: RUN,
      scope: 'operate',
      errors: ['not-authorized'],
      handle: async (c, context) => {
        const form = await readForm(c.req.raw, MAX_FORM_BYTES)
        const outcome = await refusalOf(c.env, () => act(context, c, form))
        if ('done' in outcome) return c.redirect(outcome.done, 303)
        return answer(context, c, { run: runOf(c), refusal: outcome.refusal })
      },
    }),
  ],
})

function runOf(c: RunContext) {
  const { pipelineCounter, stageCounter } = c.req.param()
  return {
    pipelineCounter: parseWholeNumber(pipelineCounter, 'pipeline-counter'),
    stageCounter: parseWholeNumber(stageCounter, 'stage-counter'),
  }
}

/** Performs the action of a button, and returns the address to redirect to. */
async function act(
  { pages, builds }: LeaderPagesContext,
  c: RunContext,
  form: Form,
): Promise<string> {
  const { links, flash } = pages
  const { pipeline, stage } = c.req.param()
  const run = { pipeline, stage, ...runOf(c) }
  const action = textField(form, 'action') ?? ''
  if (action === 'cancel') {
    c.env.auditActions = [{ action: 'cancel-stage', target: new URL(c.req.url).pathname }]
    const kind = await cancelRun(builds, c.env.principal, run)
    const of = `${run.pipelineCounter} / ${run.stageCounter}`
    return links.stageRun(run, flash.query(c.env.principal, kind, of))
  }
  const next = textField(form, 'next') ?? ''
  const jobs = choiceOf(action, form)
  const asked = { pipeline, counter: run.pipelineCounter, stage: action === 'run' ? next : stage }
  c.env.auditActions = [runAction(asked)]
  const started = await startStage(builds, c.env.principal, { ...asked, jobs })
  const to = { ...run, stage: started.name, stageCounter: started.counter }
  const of = `${run.pipelineCounter} / ${started.counter}`
  return links.stageRun(to, flash.query(c.env.principal, 'scheduled', of))
}

function choiceOf(action: string, form: Form): JobChoice {
  if (action === 'run' || action === 'rerun') return 'all'
  if (action === 'failed') return 'failed'
  if (action !== 'chosen') throw malformed(`"${action}" is not an action`, 'action')
  const names = (form.get('jobs') ?? []).map((bytes) => Buffer.from(bytes).toString('utf8'))
  if (names.length > 0) return names
  throw malformed('No job is selected', 'jobs')
}

async function answer(
  { pages, clock, builds }: LeaderPagesContext,
  c: StageContext,
  asked: { run: ReturnType<typeof runOf> | null; refusal: Refusal | null },
): Promise<Response> {
  const { principal } = c.env
  const { pipeline, stage } = c.req.param()
  const { run, refusal } = asked
  assertShown(refusal, builds.access.may(principal, { action: 'view-pipeline', pipeline }))
  const offset = parseOffset(c.req.query('offset') ?? '0')
  const page = await readStagePage(builds, principal, { pipeline, stage, run, offset })
  const frame = pages.frame(c.req.raw, principal)
  const flash = refusal?.flash ?? pages.flash.take(c)
  const ask = c.req.query('ask')
  const asks = CONFIRMED.find((each) => each === ask) ?? null
  const view = { frame, page, flash, asks, now: clock() }
  return pageResponse(<StageView {...view} />, refusal?.status)
}
