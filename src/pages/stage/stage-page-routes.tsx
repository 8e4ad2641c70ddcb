import type { Context } from 'hono'
import { z } from 'zod'
import { parseOffset } from '../../core/page.ts'
import { startStage, type JobChoice } from '../../builds/runs/start-runs.ts'
import { readStagePage } from './stage-page.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { malformed, parseWholeNumber } from '../../http/parameters.ts'
import { type Form, textsIn } from '../../http/request-body.ts'
import type { FormDone, SentForm } from '../frame/form-action.ts'
import { pageResponse } from '../frame/page-response.ts'
import { defineLeaderPage, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { assertShown, type Refusal } from '../runs/refusal.ts'
import { runAction } from '../runs/run-action.ts'
import { StageView } from './stage-view.tsx'
import { cancelRun } from '../../builds/runs/stages.ts'

/** Enough for the names of all jobs of a large stage. */
const MAX_FORM_BYTES = 262_144

const StageAction = z.object({
  action: z.enum(['cancel', 'run', 'rerun', 'failed', 'chosen']),
  next: z.string().default(''),
})

/** The actions that are confirmed on the page. */
const CONFIRMED = ['cancel', 'run'] as const

const RUN = '/stages/:pipeline/:stage/:pipelineCounter/:stageCounter'
type StageContext = Context<RouteEnv, '/stages/:pipeline/:stage'>
type RunContext = Context<RouteEnv, typeof RUN>

const { get, formAt } = routesWith<LeaderPagesContext>()

/** `/stages/…`: the runs of a stage, one of them in full, and the actions on it. */
export const stagePages = defineLeaderPage([
  get('/stages/:pipeline/:stage', (context, c) => answer(context, c, { run: null, refusal: null })),
  get(RUN, (context, c) => answer(context, c, { run: runOf(c), refusal: null })),
  formAt(RUN, {
    scope: 'operate',
    errors: ['not-authorized'],
    fields: StageAction,
    maxBytes: () => MAX_FORM_BYTES,
    act,
    refused: (context, c, refusal) => answer(context, c, { run: runOf(c), refusal }),
  }),
])

function runOf(c: RunContext) {
  const { pipelineCounter, stageCounter } = c.req.param()
  return {
    pipelineCounter: parseWholeNumber(pipelineCounter, 'pipeline-counter'),
    stageCounter: parseWholeNumber(stageCounter, 'stage-counter'),
  }
}

async function act(
  { pages: { links }, builds }: LeaderPagesContext,
  c: RunContext,
  { fields: { action, next }, form }: SentForm<typeof StageAction>,
): Promise<FormDone> {
  const { principal } = c.env
  const { pipeline, stage } = c.req.param()
  const run = { pipeline, stage, ...runOf(c) }
  const counter = run.pipelineCounter
  if (action === 'cancel') {
    c.env.auditActions = [{ action: 'cancel-stage', target: new URL(c.req.url).pathname }]
    const kind = await cancelRun(builds, principal, run)
    const of = runText(counter, run.stageCounter)
    return { says: [kind, of], to: (flash) => links.stageRun(run, flash) }
  }
  const jobs = choiceOf(action, form)
  const wanted = { pipeline, counter, stage: action === 'run' ? next : stage }
  c.env.auditActions = [runAction(wanted)]
  const started = await startStage(builds, principal, { ...wanted, jobs })
  const to = { ...run, stage: started.name, stageCounter: started.counter }
  return {
    says: ['scheduled', runText(counter, started.counter)],
    to: (flash) => links.stageRun(to, flash),
  }
}

/** `7`, and of a later attempt `7 (attempt 2)`. */
function runText(counter: number, attempt: number): string {
  return attempt > 1 ? `${counter} (attempt ${attempt})` : `${counter}`
}

function choiceOf(action: 'run' | 'rerun' | 'failed' | 'chosen', form: Form): JobChoice {
  if (action === 'run' || action === 'rerun') return 'all'
  if (action === 'failed') return 'failed'
  const names = textsIn(form, 'jobs')
  if (names.length > 0) return names
  throw malformed('No job is selected', 'jobs')
}

async function answer(
  { pages, builds }: LeaderPagesContext,
  c: StageContext,
  asked: { run: ReturnType<typeof runOf> | null; refusal: Refusal | null },
): Promise<Response> {
  const { principal } = c.env
  const { pipeline, stage } = c.req.param()
  const { run, refusal } = asked
  assertShown(refusal, builds.access.may(principal, { action: 'view-pipeline', pipeline }))
  const offset = parseOffset(c.req.query('offset') ?? '0')
  const page = await readStagePage(builds, principal, { pipeline, stage, run, offset })
  const ask = c.req.query('ask')
  const asks = CONFIRMED.find((each) => each === ask) ?? null
  const view = { ...pages.openWithMessage(c, refusal), page, asks }
  return pageResponse(<StageView {...view} />, refusal?.status)
}
