import type { Context } from 'hono'
import { z } from 'zod'
import { parseOffset } from '../../core/page.ts'
import { listOwnGroups, listViewedGroups } from '../../configuration/save/pipeline-creation.ts'
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
import { type Form, textField, textsIn } from '../../http/request-body.ts'
import { countOf } from '../kit/words/count.ts'
import type { FlashKind } from '../frame/flash-message.ts'
import type { Query } from '../kit/links.ts'
import type { FormDone, SentForm } from '../frame/form-action.ts'
import { pageResponse } from '../frame/page-response.ts'
import { defineLeaderPage, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { PipelineView } from './pipeline-view.tsx'
import { PipelinesView, queryOf } from './pipelines-view.tsx'
import { doneText } from './pipeline-outcomes.tsx'
import { assertShown, type Refusal } from '../runs/refusal.ts'
import { runAction } from '../runs/run-action.ts'

/** The most pipelines that one form acts on: each takes a write to the disk, or more. */
const MAX_SELECTED = 1_000

/** A button of one pipeline, or of those that are selected in the list. */
const Fields = z.object({
  action: z.enum([...PIPELINE_ACTIONS, 'run']),
  pauseCause: z.string().default(''),
  stage: z.string().default(''),
  counter: z.string().default(''),
  selected: z.string().optional(),
  all: z.string().optional(),
})
type Sent = SentForm<typeof Fields>

const { get, formAt } = routesWith<LeaderPagesContext>()

/** `/pipelines` and `/pipelines/[name]`: the runs, and the buttons that start them. */
export const pipelinesPages = defineLeaderPage([
  get('/pipelines', answerList),
  formAt('/pipelines', {
    scope: 'operate',
    fields: Fields,
    act: (context, c, sent) => {
      const { fields, form } = sent
      const query = parsePipelinesQuery(c.req.query())
      const to = (flash: Query) => context.pages.links.pipelines({ ...queryOf(query), ...flash })
      if (fields.selected !== undefined) {
        return actOnSelected(context, c, { ...sent, query, to })
      }
      const [pipeline = ''] = textsIn(form, 'pipeline')
      return act(context, c, { pipeline, fields, to })
    },
    refused: answerList,
  }),
  get('/pipelines/:name', answerOne),
  formAt('/pipelines/:name', {
    scope: 'operate',
    fields: Fields,
    act: (context, c, { fields }) => {
      const pipeline = c.req.param('name')
      const to = (flash: Query) => context.pages.links.pipeline(pipeline, flash)
      return act(context, c, { pipeline, fields, to })
    },
    refused: answerOne,
  }),
  get('/pipelines/:name/trigger', answerTrigger),
  formAt('/pipelines/:name/trigger', {
    scope: 'operate',
    fields: z.object({}),
    act: async ({ builds, pages }, c, { form }) => {
      const { principal } = c.env
      const pipeline = c.req.param('name')
      c.env.auditActions = [pipelineAuditAction('trigger', pipeline)]
      const options = optionsIn(form, await readTriggerPage(builds, principal, pipeline))
      const { name, counter } = await startPipeline(builds, principal, { pipeline, options })
      return {
        says: ['scheduled', `${counter} of ${name}`],
        to: (flash) => pages.links.pipeline(pipeline, flash),
      }
    },
    refused: answerTrigger,
  }),
])

/** Performs the action of a button about one pipeline. */
async function act(
  { builds }: LeaderPagesContext,
  c: Context<RouteEnv>,
  { pipeline, fields, to }: Pick<Sent, 'fields'> & Pick<FormDone, 'to'> & { pipeline: string },
): Promise<FormDone> {
  const { principal } = c.env
  const { action, pauseCause: cause, stage } = fields
  if (action !== 'run') {
    c.env.auditActions = [pipelineAuditAction(action, pipeline)]
    const run = await actOnPipeline(builds, principal, { action, pipeline, cause })
    const of = action === 'trigger' ? `${run} of ${pipeline}` : pipeline
    return { says: [run === 'unchanged' ? UNCHANGED[action] : DONE[action], of], to }
  }
  const counter = parseWholeNumber(fields.counter, 'counter')
  c.env.auditActions = [runAction({ pipeline, stage, counter })]
  const started = await startStage(builds, principal, { pipeline, stage, counter, jobs: 'all' })
  const of = `${counter} of ${pipeline}, stage ${started.name},`
  return { says: ['scheduled', of], to }
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

/** Acts on the selected pipelines, or on all that the filter leaves. */
async function actOnSelected(
  context: LeaderPagesContext,
  c: Context<RouteEnv>,
  { fields, form, query, to }: Sent & Pick<FormDone, 'to'> & { readonly query: PipelinesQuery },
): Promise<FormDone | Response> {
  const { builds } = context
  const { principal } = c.env
  const { action, pauseCause: cause } = fields
  if (action === 'run') throw malformed('"run" is about one pipeline', 'action')
  const pipelines =
    fields.all === undefined
      ? [...new Set(textsIn(form, 'pipeline'))]
      : await matchingPipelines(builds, principal, query)
  if (pipelines.length === 0) return answerList(context, c, refused('No pipelines selected.', 409))
  if (pipelines.length > MAX_SELECTED) {
    const text = `${countOf(pipelines.length, 'pipeline')} selected, at most ${MAX_SELECTED} at a time. Narrow the filter.`
    return answerList(context, c, refused(text, 409))
  }
  const outcomes = await actOnPipelines(builds, principal, { action, pipelines, cause })
  c.env.auditActions = outcomes.map(({ pipeline, reason }) => {
    return { ...pipelineAuditAction(action, pipeline), ended: { reason } }
  })
  if (outcomes.some(({ isDone }) => !isDone)) return answerList(context, c, { action, outcomes })
  return { says: [DONE_WITH_ALL[action], doneText(outcomes)], to }
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
  refusal: Refusal | null = null,
  sent: Form = new Map(),
): Promise<Response> {
  const { principal } = c.env
  const page = await readTriggerPage(builds, principal, c.req.param('name'))
  const frame = pages.frame(c.req.raw, principal)
  const typed = (field: string) => textField(sent, field)
  const view = { frame, page, typed, refusal }
  return pageResponse(<TriggerView {...view} />, refusal?.status)
}

/** The result of a form of the list: why it was refused, or how it went with each pipeline. */
type ListResult =
  | Pick<Refusal, 'flash' | 'status'>
  | { readonly action: PipelineAction; readonly outcomes: readonly PipelineOutcome[] }

async function answerList(
  { pages, builds }: LeaderPagesContext,
  c: Context<RouteEnv>,
  result: ListResult | null = null,
): Promise<Response> {
  const { principal } = c.env
  const query = parsePipelinesQuery(c.req.query())
  const page = await readPipelinesPage(builds, principal, query)
  const refusal = result !== null && 'flash' in result ? result : null
  const open = pages.openWithMessage(c, refusal)
  const done = result !== null && 'outcomes' in result ? result : null
  const mayCreate = open.frame.isAdministrator || listOwnGroups(builds, principal).length > 0
  const mayPropose = !mayCreate && listViewedGroups(builds, principal).length > 0
  const places = { origin: pages.originOf(c.req.raw), fileName: builds.fileName }
  const view = { ...open, page, query, done, mayCreate, mayPropose, ...places }
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
  { pages, builds }: LeaderPagesContext,
  c: Context<RouteEnv, '/pipelines/:name'>,
  refusal: Refusal | null = null,
): Promise<Response> {
  const { principal } = c.env
  const offset = parseOffset(c.req.query('offset') ?? '0')
  const name = c.req.param('name')
  assertShown(refusal, builds.access.may(principal, { action: 'view-pipeline', pipeline: name }))
  const page = await readPipelinePage(builds, principal, { name, offset })
  const view = { ...pages.openWithMessage(c, refusal), page }
  return pageResponse(<PipelineView {...view} />, refusal?.status)
}
