import type { Context } from 'hono'
import { parseOffset } from '../../core/page.ts'
import { listOwnGroups } from '../../configuration/save/pipeline-creation.ts'
import { pausePipeline, unpausePipeline } from '../../builds/runs/pausing.ts'
import { releaseLock, startPipeline, startStage } from '../../builds/runs/start-runs.ts'
import { readPipelinePage } from './pipeline-page.ts'
import { isPipelineState, STATE_ORDER } from './pipeline-state.ts'
import { type PipelinesQuery, readPipelinesPage } from './pipelines-page.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { malformed, parseWholeNumber } from '../../http/parameters.ts'
import { type Form, readForm, textField } from '../../http/request-body.ts'
import type { Query } from '../kit/links.ts'
import { pageResponse } from '../frame/page-response.ts'
import { defineLeaderPage, pageWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { PipelineView } from './pipeline-view.tsx'
import { PipelinesView } from './pipelines-view.tsx'
import { assertShown, refusalOf, type Refusal } from '../runs/refusal.ts'
import { runAction } from '../runs/run-action.ts'

const MAX_FORM_BYTES = 16_384

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
        const pipeline = textField(form, 'pipeline') ?? ''
        const { q = '', status = '' } = c.req.query()
        const outcome = await refusalOf(c.env, () => act(context, c, { pipeline, form }))
        if ('refusal' in outcome) return answerList(context, c, outcome.refusal)
        return c.redirect(context.pages.links.pipelines({ q, status, ...outcome.done }), 303)
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
  const action = textField(form, 'action') ?? ''
  const calls = `/api/pipelines/${encodeURIComponent(pipeline)}`
  if (action === 'trigger') {
    c.env.auditActions = [{ action: 'schedule-pipeline', target: `${calls}/schedule` }]
    const { name, counter } = await startPipeline(builds, principal, { pipeline })
    return flash.query(principal, 'scheduled', `${name} / ${counter}`)
  }
  if (action === 'unlock') {
    c.env.auditActions = [{ action: 'release-lock', target: `${calls}/releaseLock` }]
    const counter = await releaseLock(builds, principal, pipeline)
    return flash.query(principal, counter === null ? 'not-locked' : 'unlocked', pipeline)
  }
  if (action === 'pause') {
    c.env.auditActions = [{ action: 'pause-pipeline', target: `${calls}/pause` }]
    const cause = textField(form, 'pauseCause') ?? ''
    await pausePipeline(builds, principal, { pipeline, cause })
    return flash.query(principal, 'paused', pipeline)
  }
  if (action === 'unpause') {
    c.env.auditActions = [{ action: 'unpause-pipeline', target: `${calls}/unpause` }]
    const wasPaused = await unpausePipeline(builds, principal, pipeline)
    return flash.query(principal, wasPaused ? 'unpaused' : 'not-paused', pipeline)
  }
  if (action !== 'run') throw malformed(`"${action}" is not an action`, 'action')
  const stage = textField(form, 'stage') ?? ''
  const counter = parseWholeNumber(textField(form, 'counter') ?? '', 'counter')
  c.env.auditActions = [runAction({ pipeline, stage, counter })]
  const started = await startStage(builds, principal, { pipeline, stage, counter, jobs: 'all' })
  const run = `${pipeline} / ${counter} / ${started.name} / ${started.counter}`
  return flash.query(principal, 'scheduled', run)
}

async function answerList(
  { pages, clock, builds }: LeaderPagesContext,
  c: Context<RouteEnv>,
  refusal: Refusal | null,
): Promise<Response> {
  const { principal } = c.env
  const query = parsePipelinesQuery(c.req.query())
  const page = await readPipelinesPage(builds, principal, query)
  const frame = pages.frame(c.req.raw, principal)
  const flash = refusal?.flash ?? pages.flash.take(c)
  const mayCreate = frame.isAdministrator || listOwnGroups(builds, principal).length > 0
  const places = { origin: pages.originOf(c.req.raw), fileName: builds.fileName }
  const view = { frame, page, query, flash, now: clock(), mayCreate, ...places }
  return pageResponse(<PipelinesView {...view} />, refusal?.status)
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
