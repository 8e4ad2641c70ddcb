import type { Context } from 'hono'
import { z } from 'zod'
import { planPipeline } from '../../builds/plan/plan-configuration.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import {
  addPipeline,
  composePipeline,
  listOwnGroups,
  listViewedGroups,
  type PipelinePreviewDeps,
  previewPipeline,
} from '../../configuration/save/pipeline-creation.ts'
import type { Principal } from '../../core/principal.ts'
import type { Problem } from '../../core/problem.ts'
import {
  type PipelineCreationRequest,
  readPipelineRequest,
} from '../../document/create-pipeline/pipeline-request.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { DEFAULT_GROUP } from '../../document/entities/entities.ts'
import { maskSecrets } from '../../document/text/shown-text.ts'
import { messageOf } from '../../http/change-message.ts'
import type { Form } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { FormDone, SentForm } from '../frame/form-action.ts'
import { previewProposal, proposeChange, refusedSave } from '../edit/propose-change.ts'
import type { Refusal } from '../runs/refusal.ts'
import { defineLeaderPage, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import {
  type CopyablePipelines,
  NewPipelineView,
  type PreviewedPipeline,
} from './new-pipeline-view.tsx'

/** Among more, nobody looks for one in a list. */
const MAX_GROUPS = 500
const MAX_PIPELINES = 50

type Values = ReadonlyMap<string, string>

interface Shown {
  readonly values: Values
  readonly problems: readonly Problem[]
  readonly preview: PreviewedPipeline | null
  readonly status: number
}

const Fields = z.object({ action: z.string().default('') })

const { get, formAt } = routesWith<LeaderPagesContext>()

/** `/config/new-pipeline`: the form of a pipeline with one material and one task, and its preview. */
export const newPipelinePage = defineLeaderPage([
  get('/config/new-pipeline', (context, c) => {
    const values = new Map(Object.entries(c.req.query()))
    return answer(context, c, { values, problems: [], preview: null, status: 200 })
  }),
  formAt('/config/new-pipeline', {
    audit: 'create-pipeline',
    fields: Fields,
    maxBytes: ({ site }) => site.maxBody,
    act,
    refused: answerRefused,
    explains: ['not-permitted', 'not-authorized'],
  }),
])

async function act(
  context: LeaderPagesContext,
  c: Context<RouteEnv>,
  { fields, form }: SentForm<typeof Fields>,
): Promise<FormDone | Response> {
  const { principal } = c.env
  const { builds, pages } = context
  const values = valuesOf(form)
  const shown = { values, problems: [], preview: null, status: 200 }
  c.env.isNews = fields.action !== 'preview'
  const reading = readPipelineRequest(values.get('name') ?? '', requestOf(values))
  if (!reading.ok) {
    c.env.reason = 'malformed-request'
    return answer(context, c, { ...shown, problems: reading.problems, status: 422 })
  }
  const { request } = reading
  const message = messageOf(c.req.raw, form)
  if (fields.action === 'propose') return proposePipeline(context, principal, { request, message })
  if (fields.action === 'create') {
    const { name } = request
    const saved = await addPipeline(builds, principal, request, message)
    const target = `/tab/admin/pipelines/${encodeURIComponent(name)}.json`
    const audited = { action: 'create-pipeline', target } as const
    return {
      says: ['created', name],
      saved,
      to: (flash) => pages.links.pipeline(name, flash),
      audited,
    }
  }
  const preview = await previewOf(context, principal, { request, message })
  return answer(context, c, { ...shown, preview })
}

/** The fields that refusals are about; others are about none. */
const FIELDS: Partial<Record<ErrorCode, string>> = {
  'not-permitted': 'pipelineGroup',
  'name-in-use': 'name',
}

/** A creation that is left to others has its preview again, from where it can be proposed. */
async function answerRefused(
  context: LeaderPagesContext,
  c: Context<RouteEnv>,
  { error, status }: Refusal,
  form: Form,
): Promise<Response> {
  const { builds } = context
  const { principal } = c.env
  const values = valuesOf(form)
  const path = FIELDS[error.code]
  const reading = readPipelineRequest(values.get('name') ?? '', requestOf(values))
  const { group } = reading.ok ? reading.request : reading
  const mayPropose = (['administer-group', 'view-group'] as const).some((action) =>
    builds.access.may(principal, { action, group }),
  )
  const refused = mayPropose ? refusedSave(error) : null
  const isOffered = refused !== null && reading.ok
  const message = values.get('message') ?? ''
  const preview = isOffered
    ? await previewOf(context, principal, { request: reading.request, message })
    : null
  const problems = [{ message: refused ?? error.message, ...(path !== undefined && { path }) }]
  return answer(context, c, { values, problems, preview, status })
}

async function proposePipeline(
  context: LeaderPagesContext,
  principal: Principal,
  { request, message }: PipelineToPreview,
): Promise<FormDone> {
  const { builds } = context
  const current = builds.history.current()
  const before = await builds.history.readDocument(current)
  const { document: after } = composedFor(builds, principal, request)
  const summary = `Add pipeline ${request.name}`
  const change = { base: current.digest, before, after, message, summary }
  return proposeChange(context, principal, change)
}

function answer(
  { builds, pages }: LeaderPagesContext,
  c: Context<RouteEnv>,
  shown: Shown,
): Promise<Response> {
  const { principal } = c.env
  const own = listOwnGroups(builds, principal)
  const groups = [...new Set([...own, ...listViewedGroups(builds, principal)])]
  const isAdministrator = builds.access.may(principal, { action: 'administer' })
  if (groups.length === 0 && !isAdministrator) {
    assertMay(builds.access, principal, { action: 'administer-group', group: DEFAULT_GROUP })
  }
  const isForOthers = own.length === 0 && !isAdministrator
  const copy = isAdministrator ? copyableOf(builds, c.req.query('find') ?? '') : null
  const frame = pages.frame(c.req.raw, principal)
  const view = { ...shown, frame, groups: groups.slice(0, MAX_GROUPS), copy, isForOthers }
  return pageResponse(<NewPipelineView {...view} />, shown.status, NO_STORE)
}

interface PipelineToPreview {
  readonly request: PipelineCreationRequest
  readonly message: string
}

async function previewOf(
  context: LeaderPagesContext,
  principal: Principal,
  { request, message }: PipelineToPreview,
): Promise<PreviewedPipeline> {
  const { builds } = context
  const { document, isForOthers } = composedFor(builds, principal, request)
  const entity = { kind: 'pipeline', name: request.name } as const
  const part = await builds.work.partOf({ document, entity })
  const change = { base: builds.history.current().digest, after: document, message }
  const plan = isForOthers
    ? (await previewProposal(context, principal, change)).plan
    : await planPipeline(builds, principal, { ...request, document, message })
  return { xml: part.kind === 'found' ? maskSecrets(part.text) : '', plan, isForOthers }
}

/** The document with a new pipeline; in a group that the caller may view and not add to, others decide. */
function composedFor(
  builds: LeaderPagesContext['builds'],
  principal: Principal,
  request: PipelineCreationRequest,
): { readonly document: Uint8Array<ArrayBuffer>; readonly isForOthers: boolean } {
  const { group } = request
  const mayAdd = builds.access.may(principal, { action: 'administer-group', group })
  const isForOthers = !mayAdd && builds.access.may(principal, { action: 'view-group', group })
  const document = isForOthers
    ? composePipeline(builds, request)
    : previewPipeline(builds, principal, request)
  return { document, isForOthers }
}

/** The first pipelines whose name or group has a text. */
function copyableOf({ configuration }: PipelinePreviewDeps, find: string): CopyablePipelines {
  const { groups } = configuration.read().configuration
  const all = groups.flatMap(({ name: group, pipelines }) =>
    pipelines.map(({ name }) => ({ name, group })),
  )
  const wanted = find.trim().toLowerCase()
  const matching = all.filter(({ name, group }) =>
    `${group} ${name}`.toLowerCase().includes(wanted),
  )
  const names = matching.slice(0, MAX_PIPELINES).map(({ name }) => name)
  return { find, names, matching: matching.length, total: all.length }
}

function valuesOf(form: Form): Values {
  return new Map(
    Array.from(form, ([name, values]) => [name, Buffer.from(values.at(-1) ?? []).toString('utf8')]),
  )
}

/** The parameters of the creation: an empty field is one that was left out. */
function requestOf(values: Values): [string, string][] {
  return [...values].filter(([, value]) => value !== '')
}
