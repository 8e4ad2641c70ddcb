import type { Context } from 'hono'
import { parseOffset } from '../../core/page.ts'
import { listOwnGroups } from '../../configuration/save/pipeline-creation.ts'
import { startPipeline, startStage } from '../../builds/runs/start-runs.ts'
import {
  actOnPipeline,
  actOnPipelines,
  PIPELINE_ACTIONS,
  type PipelineAction,
  pipelineAuditAction,
  type PipelineOutcome,
} from './act-on-pipelines.ts'
import { readPipelinePage } from './pipeline-page.ts'
import { isPipelineState, STATE_ORDER } from './pipeline-state.ts'
import { matchingPipelines, type PipelinesQuery, readPipelinesPage } from './pipelines-page.ts'
import { optionsIn, readTriggerPage } from './trigger-page.ts'
import { TriggerView } from './trigger-view.tsx'
import type { RouteEnv } from '../../http/request-context.ts'
import { malformed, parseWholeNumber } from '../../http/parameters.ts'
import { type Form, readForm, textField } from '../../http/request-body.ts'
import { countOf } from '../kit/count.ts'
import type { Query } from '../kit/links.ts'
import type { FlashKind } from '../frame/flash-message.ts'
import { pageResponse } from '../frame/page-response.ts'
import { defineLeaderPage, pageWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { PipelineView } from './pipeline-view.tsx'
import { PipelinesView, queryOf } from './pipelines-view.tsx'
import { doneText } from './pipeline-outcomes.tsx'
import { assertShown, refusalOf, type Refusal } from '../runs/refusal.ts'
import { runAction } from '../runs/run-action.ts'

/** Enough for all pipelines of a page, each with its name. */
const MAX_FORM_BYTES = 65_536
/** The most pipelines that one form acts on: each takes a write to the disk, or more. */
const MAX_SELECTED = 1_000

const route = pageWith<LeaderPagesContext>()

/** `/pipelines` and `/pipelines/[name]`: the runs, and the buttons that start them. */
export const pipelinesPages = defineLeaderPage({
  open: (context) => context,
  routes: [
    route({
      method: 'GET',
      path: '/pipelines',
      handle: (c, context) => answerList(context, c, null),
    }),
    route({
      method: 'POST',
      path: '/pipelines',
      scope: 'operate',
      handle: async (c, context) => {
        const form = await readForm(c.req.raw, MAX_FORM_BYTES)
        const selected = (form.get('pipeline') ?? []).map((bytes) =>
          Buffer.from(bytes).toString('utf8'),
        )
        if (textField(form, 'selected') !== null) {
          return actOnSelected(context, c, { form, selected })
        }
        const [pipeline = ''] = selected
        const query = queryOf(parsePipelinesQuery(c.req.query()))
        const outcome = await refusalOf(c.env, () => act(context, c, { pipeline, form }))
        if ('refusal' in outcome) return answerList(context, c, outcome.refusal)
        return c.redirect(context.pages.links.pipelines({ ...query, ...outcome.done }), 303)
      },
    }),
    route({
      method: 'GET',
      path: '/pipelines/:name',
      handle: (c, context) => answerOne(context, c, null),
    }),
    route({
      method: 'POST',
      path: '/pipelines/:name',
      scope: 'operate',
      handle: async (c, context) => {
        const form = await readForm(c.req.raw, MAX_FORM_BYTES)
        const pipeline = c.req.param('name')
        const outcome = await refusalOf(c.env, () => act(context, c, { pipeline, form }))
        if ('refusal' in outcome) return answerOne(context, c, outcome.refusal)
        return c.redirect(context.pages.links.pipeline(pipeline, outcome.done), 303)
      },
    }),
    route({
      method: 'GET',
      path: '/pipelines/:name/trigger',
      handle: (c, context) => answerTrigger(context, c, null),
    }),
    route({
      method: 'POST',
      path: '/pipelines/:name/trigger',
      scope: 'operate',
      handle: async (c, context) => {
        const { builds, pages } = context
        const { principal } = c.env
        const form = await readForm(c.req.raw, MAX_FORM_BYTES)
        const pipeline = c.req.param('name')
        c.env.auditActions = [pipelineAuditAction('trigger', pipeline)]
        const outcome = await refusalOf(c.env, async () => {
          const options = optionsIn(form, await readTriggerPage(builds, principal, pipeline))
          return startPipeline(builds, principal, { pipeline, options })
        })
        if ('refusal' in outcome) {
          return answerTrigger(context, c, { form, refusal: outcome.refusal })
        }
        const { name, counter } = outcome.done
        const flash = pages.flash.query(principal, 'scheduled', `${name} / ${counter}`)
        return c.redirect(pages.links.pipeline(pipeline, flash), 303)
      },
    }),
  ],
})

/** Performs the action of a button, and returns the flash message for the next page. */
async function act(
  { pages, builds }: LeaderPagesContext,
  c: Context<RouteEnv>,
  { pipeline, form }: { readonly pipeline: string; readonly form: Form },
): Promise<Query> {
  const { principal } = c.env
  const { flash } = pages
  const asked = textField(form, 'action') ?? ''
  if (asked !== 'run') {
    const action = actionOf(asked)
    c.env.auditActions = [pipelineAuditAction(action, pipeline)]
    const cause = textField(form, 'pauseCause') ?? ''
    const run = await actOnPipeline(builds, principal, { action, pipeline, cause })
    const of = action === 'trigger' ? `${pipeline} / ${run}` : pipeline
    return flash.query(principal, run === 'unchanged' ? UNCHANGED[action] : DONE[action], of)
  }
  const stage = textField(form, 'stage') ?? ''
  const counter = parseWholeNumber(textField(form, 'counter') ?? '', 'counter')
  c.env.auditActions = [runAction({ pipeline, stage, counter })]
  const started = await startStage(builds, principal, { pipeline, stage, counter, jobs: 'all' })
  const run = `${pipeline} / ${counter} / ${started.name} / ${started.counter}`
  return flash.query(principal, 'scheduled', run)
}

const DONE = {
  trigger: 'scheduled',
  pause: 'paused',
  unpause: 'unpaused',
  unlock: 'unlocked',
} as const satisfies Record<PipelineAction, FlashKind>
const UNCHANGED = {
  ...DONE,
  unpause: 'not-paused',
  unlock: 'not-locked',
} as const satisfies Record<PipelineAction, FlashKind>

/** @throws {ServiceError} `malformed-request` */
function actionOf(text: string): PipelineAction {
  const action = PIPELINE_ACTIONS.find((each) => each === text)
  if (action !== undefined) return action
  throw malformed(`"${text}" is not an action`, 'action')
}

/** Acts on the selected pipelines, or on all that the filter leaves. */
async function actOnSelected(
  context: LeaderPagesContext,
  c: Context<RouteEnv>,
  { form, selected }: { readonly form: Form; readonly selected: readonly string[] },
): Promise<Response> {
  const { builds, pages } = context
  const { principal } = c.env
  const action = actionOf(textField(form, 'action') ?? '')
  const query = parsePipelinesQuery(c.req.query())
  const isAll = textField(form, 'all') !== null
  const pipelines = isAll
    ? await matchingPipelines(builds, principal, query)
    : [...new Set(selected)]
  if (pipelines.length === 0) return answerList(context, c, refused('No pipelines selected.', 409))
  if (pipelines.length > MAX_SELECTED) {
    const text = `${countOf(pipelines.length, 'pipeline')} selected, at most ${MAX_SELECTED} at a time. Narrow the filter.`
    return answerList(context, c, refused(text, 409))
  }
  const cause = textField(form, 'pauseCause') ?? ''
  const outcomes = await actOnPipelines(builds, principal, { action, pipelines, cause })
  c.env.auditActions = outcomes.map(({ pipeline, reason }) => {
    return { ...pipelineAuditAction(action, pipeline), ended: { reason } }
  })
  if (outcomes.some(({ isDone }) => !isDone)) return answerList(context, c, { action, outcomes })
  const flash = pages.flash.query(principal, DONE_WITH_ALL[action], doneText(outcomes))
  return c.redirect(pages.links.pipelines({ ...queryOf(query), ...flash }), 303)
}

const DONE_WITH_ALL = {
  trigger: 'pipelines-scheduled',
  pause: 'pipelines-paused',
  unpause: 'pipelines-unpaused',
  unlock: 'pipelines-unlocked',
} as const satisfies Record<PipelineAction, FlashKind>

function refused(text: string, status: number): ListResult {
  return { flash: { isDone: false, text }, status }
}

async function answerTrigger(
  { pages, builds }: LeaderPagesContext,
  c: Context<RouteEnv, '/pipelines/:name/trigger'>,
  sent: { readonly form: Form; readonly refusal: Refusal } | null,
): Promise<Response> {
  const { principal } = c.env
  const page = await readTriggerPage(builds, principal, c.req.param('name'))
  const frame = pages.frame(c.req.raw, principal)
  const typed = (field: string) => sent && textField(sent.form, field)
  const refusal = sent?.refusal ?? null
  const view = { frame, page, typed, refusal }
  return pageResponse(<TriggerView {...view} />, refusal?.status)
}

/** The result of a form of the list: why it was refused, or how it went with each pipeline. */
type ListResult =
  | Pick<Refusal, 'flash' | 'status'>
  | { readonly action: PipelineAction; readonly outcomes: readonly PipelineOutcome[] }

async function answerList(
  { pages, clock, builds }: LeaderPagesContext,
  c: Context<RouteEnv>,
  result: ListResult | null,
): Promise<Response> {
  const { principal } = c.env
  const query = parsePipelinesQuery(c.req.query())
  const page = await readPipelinesPage(builds, principal, query)
  const frame = pages.frame(c.req.raw, principal)
  const refusal = result !== null && 'flash' in result ? result : null
  const flash = refusal?.flash ?? pages.flash.take(c)
  const done = result !== null && 'outcomes' in result ? result : null
  const mayCreate = frame.isAdministrator || listOwnGroups(builds, principal).length > 0
  const places = { origin: pages.originOf(c.req.raw), fileName: builds.fileName }
  const view = { frame, page, query, flash, done, now: clock(), mayCreate, ...places }
  return pageResponse(<PipelinesView {...view} />, refusal?.status ?? (done ? 409 : 200))
}

/** @throws {ServiceError} `malformed-request` */
function parsePipelinesQuery({
  q = '',
  status = '',
  offset = '0',
}: Readonly<Record<string, string>>): PipelinesQuery {
  if (status !== '' && !isPipelineState(status)) {
    throw malformed(`"${status}" is not a status: ${STATE_ORDER.join(', ')}`, 'status')
  }
  return {
    filter: q.trim(),
    status: status === '' ? null : status,
    offset: parseOffset(offset),
  }
}

async function answerOne(
  { pages, clock, builds }: LeaderPagesContext,
  c: Context<RouteEnv, '/pipelines/:name'>,
  refusal: Refusal | null,
): Promise<Response> {
  const { principal } = c.env
  const offset = parseOffset(c.req.query('offset') ?? '0')
  const name = c.req.param('name')
  assertShown(refusal, builds.access.may(principal, { action: 'view-pipeline', pipeline: name }))
  const page = await readPipelinePage(builds, principal, { name, offset })
  const frame = pages.frame(c.req.raw, principal)
  const flash = refusal?.flash ?? pages.flash.take(c)
  const view = { frame, page, flash, now: clock() }
  return pageResponse(<PipelineView {...view} />, refusal?.status)
}
