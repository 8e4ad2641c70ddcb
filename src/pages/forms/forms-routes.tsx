import type { Context } from 'hono'
import { z } from 'zod'
import { planChange } from '../../builds/plan/plan-entity.ts'
import { ServiceError } from '../../core/errors.ts'
import { isSameName } from '../../core/name-key.ts'
import type { Problem } from '../../core/problem.ts'
import type { Revision } from '../../core/revision.ts'
import { checkValues } from '../../document/form/form-checks.ts'
import { countRows, type FormValues, withoutBlankRows } from '../../document/form/form-values.ts'
import { maskSecrets } from '../../document/text/shown-text.ts'
import { messageOf } from '../../http/change-message.ts'
import { statusOf } from '../../http/errors.ts'
import { parseDigest } from '../../http/parameters.ts'
import { textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { PLAIN } from '../code/comparison.ts'
import { ConflictView } from '../edit/conflict-view.tsx'
import { type EditReview, reviewEdit, saveEdit } from '../edit/edit-review.ts'
import { previewProposal, proposeChange, refusedSave } from '../edit/propose-change.ts'
import { editBase } from '../edit/started-from.tsx'
import type { FormAction, FormDone, SentForm } from '../frame/form-action.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { defineLeaderPage, type PageRules, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { numbered } from '../revisions/numbered-revision.ts'
import { EntityName } from '../work/edit-scope.ts'
import { EntityFormView } from './entity-form-view.tsx'
import { decodeForm, encodeForm, sealTyped } from './form-codec.ts'
import { FormPreviewView, type FormPreviewViewProps } from './form-preview-view.tsx'
import type { ShownProblem } from './form-fields.tsx'
import { addRow, raiseRow, removeRow, type RowChange } from './form-rows.ts'
import {
  type ComposedForm,
  composeForm,
  formName,
  openForm,
  type OpenForm,
  rowOfLine,
} from './open-form.ts'
import { readAround } from './around-form.ts'

type FormPath = '/config/edit/:kind/:name' | '/config/new/:kind'
type FormContext = Context<RouteEnv, FormPath>

/** The fields beside those of the entity. */
const Fields = z.object({
  action: z.string().default('preview'),
  basedOn: z.string().default(''),
  entity: z.string().default(''),
})

/** A longer element is not repeated in a preview. */
const MAX_XML = 40_000
/** An entity of more rows is edited as XML: its form would be too long for a page. */
const MAX_ROWS = 600

const { get, formAt } = routesWith<LeaderPagesContext>()

const readRules = { errors: ['entity-not-found', 'not-permitted'] } as const
const entityForm: FormAction<LeaderPagesContext, FormPath, typeof Fields> & PageRules = {
  audit: 'save-configuration',
  errors: ['entity-not-found', 'config-stale', 'not-permitted'],
  fields: Fields,
  maxBytes: ({ site }) => site.maxBody,
  act,
}

/** `/config/edit/[kind]/[name]` and `/config/new/[kind]`: the forms of entities, and their previews. */
export const formPages = defineLeaderPage([
  get('/config/edit/:kind/:name', begin, readRules),
  formAt('/config/edit/:kind/:name', entityForm),
  get('/config/new/:kind', begin, readRules),
  formAt('/config/new/:kind', entityForm),
])

async function begin(context: LeaderPagesContext, c: FormContext): Promise<Response> {
  const open = await openForm(context.builds, c.env.principal, { ...placeOf(c), from: null })
  if (countRows(open.before) > MAX_ROWS) {
    if (open.isForOthers) throw tooLong(open)
    const entity = `${open.kind}/${open.name}`
    return c.redirect(context.pages.links.edit({ entity }), 302)
  }
  const add = c.req.query('add')
  if (add === undefined) return answerForm(context, c, { open, values: open.before })
  if (add === MEMBER && open.kind === 'role') return beginMember(context, c, open)
  const list = add === JOB ? jobsOfLastStage(open) : add
  if (list === null) {
    const notice = 'Its stages and jobs are in its template.'
    return answerForm(context, c, { open, values: open.before, notice })
  }
  const { values, focus } = addRow(open.shape, open.before, list)
  return answerForm(context, c, { open, values, focus })
}

/** The editor shows the text as it is stored, which is for those who administer it. */
function tooLong({ kind, name }: OpenForm): ServiceError {
  const message = `The ${kind} ${name} is too long for a form. Propose its text with POST /api/proposals`
  return new ServiceError('not-permitted', message, { permission: 'administer-group' })
}

/** Stands for the jobs of the last stage in `add`. */
const JOB = 'job'

/** Stands for a user of a role in `add`; `user` is the name. */
const MEMBER = 'member'

/** Previews a role with one more user. */
async function beginMember(
  context: LeaderPagesContext,
  c: FormContext,
  open: OpenForm,
): Promise<Response> {
  const user = c.req.query('user')?.trim() ?? ''
  const lists = USERS_OF_ROLE.filter((name) => open.shape.parts.some((part) => part.name === name))
  const rows = lists.flatMap((name) => open.before.lists.get(name) ?? [])
  if (user === '' || rows.some(({ fields }) => isSameName(fields.get('text') ?? '', user))) {
    const notice =
      user === '' ? 'No user was named.' : `${user} is in the role ${open.name} already.`
    return answerForm(context, c, { open, values: open.before, notice })
  }
  const list =
    lists.find((name) => (open.before.lists.get(name) ?? []).length > 0) ?? lists[0] ?? ''
  const { values } = addRow(open.shape, open.before, list, { text: user })
  const sent = { open, values, message: '' }
  const composed = composeForm(open, values)
  const review = await reviewEdit(context.builds, c.env.principal, composed.draft)
  return answerReview(context, c, { sent, composed, notice: null }, review)
}

/** The lists with users of a role: in an element of their own, or directly. */
const USERS_OF_ROLE = ['users', 'user'] as const

/** Null for a pipeline that has its stages from a template. */
function jobsOfLastStage({ before }: OpenForm): string | null {
  const stages = before.lists.get('stage') ?? []
  return stages.length === 0 ? null : `stage.${stages.length - 1}.jobs`
}

function placeOf(c: FormContext): { readonly kind: string; readonly name: string | null } {
  return { kind: c.req.param('kind'), name: c.req.param('name') ?? null }
}

/** A form that was sent, with the entity that it would make. */
interface Sent {
  readonly open: OpenForm
  readonly values: FormValues
  readonly message: string
}

async function act(
  context: LeaderPagesContext,
  c: FormContext,
  { fields, form }: SentForm<typeof Fields>,
): Promise<FormDone | Response> {
  const { builds } = context
  const entity = fields.entity === '' ? null : parseDigest(fields.entity, 'entity')
  const from = { entity, document: parseDigest(fields.basedOn, 'basedOn') }
  const open = await openForm(builds, c.env.principal, { ...placeOf(c), from })
  const typed = sealTyped(open.shape, decodeForm(form, open.shape, open.before), (secret) =>
    builds.box.seal(secret),
  )
  const message = messageOf(c.req.raw, form)
  const [action = '', path = '', kind] = fields.action.split(':')
  const chosen = kind ?? textField(form, `new.${path}`)
  const change = rowChange(open, typed, { action, path, kind: chosen })
  const values = withoutBlankRows(open.shape, typed)
  const answer =
    change === null && action !== 'edit'
      ? await finish(context, c, { open, values, message }, action)
      : await answerForm(context, c, { open, message, ...(change ?? { values }) })
  c.env.isNews = !(answer instanceof Response) || answer.status !== 200
  return answer
}

function rowChange(
  { shape }: OpenForm,
  values: FormValues,
  asked: { readonly action: string; readonly path: string; readonly kind: string | null },
): RowChange | null {
  switch (asked.action) {
    case 'add':
      return addRow(shape, values, asked.path, asked)
    case 'remove':
      return removeRow(shape, values, asked.path)
    case 'up':
      return raiseRow(shape, values, asked.path)
    default:
      return null
  }
}

/** Previews, saves or proposes what a form makes. */
async function finish(
  context: LeaderPagesContext,
  c: FormContext,
  sent: Sent,
  action: string,
): Promise<FormDone | Response> {
  const { open, values } = sent
  const found = checkValues(open.shape, open.element, values)
  if (found.length > 0) {
    c.env.reason = 'config-invalid'
    return answerForm(context, c, { ...sent, problems: found, status: 422 })
  }
  try {
    const composed = composeForm(open, values)
    if (open.isForOthers) return await finishForOthers(context, c, { sent, composed, action })
    if (action === 'save') return await save(context, c, sent, composed)
    const review = await reviewEdit(context.builds, c.env.principal, composed.draft)
    if (action === 'propose' && review.kind === 'ready') {
      const { before, after, current } = review.ready
      const change = { base: current.digest, before, after, message: sent.message }
      return await proposeChange(context, c.env.principal, change)
    }
    return await answerReview(context, c, { sent, composed, notice: null }, review)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    c.env.reason = error.code
    const notice = `${error.message}. Nothing is saved.`
    return answerForm(context, c, { ...sent, notice, status: statusOf(error) })
  }
}

/** Previews or proposes what a form makes, for those who may not save it. */
async function finishForOthers(
  context: LeaderPagesContext,
  c: FormContext,
  { action, ...made }: Pick<Reviewed, 'sent' | 'composed'> & { readonly action: string },
): Promise<FormDone | Response> {
  const { principal } = c.env
  const { sent, composed } = made
  const { base, document } = sent.open
  if (composed.text === document.text) {
    return answerForm(context, c, { ...sent, notice: NO_CHANGES })
  }
  const after = new Uint8Array(Buffer.from(composed.text))
  const change = { base: base.digest, after, message: sent.message }
  try {
    if (action === 'propose') {
      const before = await context.builds.history.readDocument(base)
      return await proposeChange(context, principal, { ...change, before })
    }
    const preview = await previewProposal(context, principal, change)
    const effects = { current: base, isMerged: false, ...preview }
    return await answerPreview(context, c, { ...made, notice: null }, effects)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'config-invalid') throw error
    return answerInvalid(context, c, made, error.facts.problems)
  }
}

async function save(
  context: LeaderPagesContext,
  c: FormContext,
  sent: Sent,
  composed: ComposedForm,
): Promise<FormDone | Response> {
  const { builds, pages } = context
  const { principal } = c.env
  const { open, values, message } = sent
  const { draft } = composed
  try {
    const outcome = await saveEdit(builds, principal, { draft, message })
    if (outcome.kind !== 'saved') {
      return await answerReview(context, c, { sent, composed, notice: null }, outcome)
    }
    const revision = numbered(builds.history, outcome.revision)
    const name = formName(open, values) || open.name
    const isAdministrator = pages.isAdministrator(principal)
    return {
      says: ['saved', `r${revision.number}`],
      saved: outcome,
      to: (flash) =>
        isAdministrator
          ? pages.links.change(revision, flash)
          : pages.links.entity(open.kind, name, flash),
    }
  } catch (error) {
    const notice = refusedSave(error)
    if (notice === null) throw error
    const review = await reviewEdit(builds, principal, draft)
    c.env.reason = 'not-permitted'
    const refused = { sent, composed, notice, status: 403 }
    return answerReview(context, c, refused, review)
  }
}

interface Reviewed {
  readonly sent: Sent
  readonly composed: ComposedForm
  readonly notice: string | null
  readonly status?: number
}

async function answerReview(
  context: LeaderPagesContext,
  c: FormContext,
  reviewed: Reviewed,
  review: EditReview,
): Promise<Response> {
  const { sent, composed } = reviewed
  switch (review.kind) {
    case 'unchanged':
      return answerForm(context, c, { ...sent, notice: NO_CHANGES })
    case 'invalid': {
      const isOwn = review.draft.typed === composed.draft.typed
      return answerInvalid(context, c, { sent, composed: isOwn ? composed : null }, review.problems)
    }
    case 'conflict': {
      c.env.reason = 'config-stale'
      const { history } = context.builds
      const { conflict } = review
      const view = {
        frame: context.pages.frame(c.req.raw, c.env.principal),
        draft: composed.draft,
        message: sent.message,
        conflict,
        base: editBase(history, conflict.base),
        current: numbered(history, conflict.current),
        choices: [],
        isIncomplete: false,
      }
      return pageResponse(<ConflictView {...view} />, 409, NO_STORE)
    }
    case 'ready': {
      const { before, after, current, mergedFrom } = review.ready
      const { builds } = context
      const { principal } = c.env
      const { message } = sent
      return answerPreview(context, c, reviewed, {
        current,
        isMerged: mergedFrom !== null,
        comparison: await builds.compare(
          await builds.gate.viewFor(principal, { before, after }),
          PLAIN,
        ),
        plan: await planChange(builds, principal, { document: after, door: 'form', message }),
      })
    }
  }
}

const NO_CHANGES = 'No changes to save.'

/** The form with its problems, each at the row that it is in; at none where the text is not that of the form. */
async function answerInvalid(
  context: LeaderPagesContext,
  c: FormContext,
  { sent, composed }: { readonly sent: Sent; readonly composed: ComposedForm | null },
  found: readonly Problem[],
): Promise<Response> {
  c.env.reason = 'config-invalid'
  const name = formName(sent.open, sent.values) || sent.open.name
  const problems: ShownProblem[] = []
  for (const { message, line } of found) {
    const at = composed && { text: composed.text, line }
    problems.push({ message, path: at && (await rowOfLine(sent.open, at, name)) })
  }
  return answerForm(context, c, { ...sent, problems, status: 422 })
}

async function answerPreview(
  { builds, pages }: LeaderPagesContext,
  c: FormContext,
  { sent: { open, values, message }, composed, notice, status = 200 }: Reviewed,
  {
    current,
    ...effects
  }: Pick<FormPreviewViewProps, 'comparison' | 'plan' | 'isMerged'> & {
    readonly current: Revision
  },
): Promise<Response> {
  const { principal } = c.env
  const document = new Uint8Array(Buffer.from(composed.text))
  const name = formName(open, values) || open.name
  const { data: entity } = EntityName.safeParse({ kind: open.kind, name })
  const part = entity && (await builds.work.partOf({ document, entity }))
  const isShown = part?.kind === 'found' && part.text.length <= MAX_XML
  const view = {
    frame: pages.frame(c.req.raw, principal),
    open,
    message,
    fields: encodeForm(open.shape, values),
    current: numbered(builds.history, current),
    ...effects,
    isForOthers: open.isForOthers,
    hasInvalidEdit: builds.history.hasInvalidEdit && !open.isForOthers,
    xml: isShown ? maskSecrets(part.text) : null,
    notice,
  }
  return pageResponse(<FormPreviewView {...view} />, status, NO_STORE)
}

interface Answered {
  readonly open: OpenForm
  readonly values: FormValues
  readonly message?: string
  readonly problems?: readonly ShownProblem[]
  readonly notice?: string | null
  readonly focus?: string | null
  readonly status?: number
}

function answerForm(
  { builds, pages }: LeaderPagesContext,
  c: FormContext,
  {
    open,
    values,
    message = '',
    problems = [],
    notice = null,
    focus = null,
    status = 200,
  }: Answered,
): Promise<Response> {
  const frame = pages.frame(c.req.raw, c.env.principal)
  const view = {
    frame,
    open,
    number: builds.history.numberOf(open.base),
    values,
    message,
    problems,
    notice,
    focus,
    ...readAround(open, frame.isAdministrator),
  }
  return pageResponse(<EntityFormView {...view} />, status, NO_STORE)
}
