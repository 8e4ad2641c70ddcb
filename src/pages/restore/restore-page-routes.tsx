import { type Context, Hono } from 'hono'
import { ServiceError } from '../../core/errors.ts'
import { entityAddress } from '../revisions/entity-address.ts'
import { numbered } from '../revisions/numbered-revision.ts'
import { restoreNow } from './restore-plan.ts'
import { previewRestore, type RestorePreviewDeps } from './restore-preview.ts'
import type { RestoreScope } from './restore-scope.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { statusOf } from '../../http/errors.ts'
import { malformed, parseDigest } from '../../http/parameters.ts'
import { readForm, textField } from '../../http/request-body.ts'
import { checkedMessage } from '../../http/change-message.ts'
import { pageResponse } from '../frame/page-response.ts'
import type { PageContext } from '../frame/page-context.ts'
import { parseCompareQuery } from '../code/compare-query.ts'
import { RestoreView } from './restore-view.tsx'

export type RestorePageOptions = RestorePreviewDeps & { readonly pages: PageContext }

const MAX_FORM_BYTES = 65_536

/** The subject of the restore, and its revision. */
interface Asked {
  readonly name: string
  readonly scope: RestoreScope
}

/** The fields of the form, and the result of sending it. */
interface FormState {
  readonly reason: string
  readonly notice: string | null
  readonly status: number
}

/** `…/restore` and `…/undo`: the preview of a restore, and the restore itself. */
export function restorePageRoutes(options: RestorePageOptions) {
  return new Hono<RouteEnv>()
    .get('/config/:name/restore', (c) => show(options, c, whole(c.req.param('name'))))
    .post('/config/:name/restore', (c) => act(options, c, whole(c.req.param('name'))))
    .get('/config/:name/undo', (c) => show(options, c, change(c, c.req.param('name'))))
    .post('/config/:name/undo', (c) => act(options, c, change(c, c.req.param('name'))))
    .get('/config/entity/:kind/:name/restore/:from', (c) => show(options, c, one(c.req.param())))
    .post('/config/entity/:kind/:name/restore/:from', (c) => act(options, c, one(c.req.param())))
}

function whole(name: string): Asked {
  return { name, scope: { kind: 'revision' } }
}

function change(c: Context<RouteEnv>, name: string): Asked {
  return { name, scope: { kind: 'change', isRest: c.req.query('rest') === '1' } }
}

function one(place: { readonly kind: string; readonly name: string; readonly from: string }) {
  const address = entityAddress(place.kind, place.name)
  return { name: place.from, scope: { kind: 'entity', address } } as const
}

function show(options: RestorePageOptions, c: Context<RouteEnv>, asked: Asked): Promise<Response> {
  return answer(options, c, asked, { reason: '', notice: null, status: 200 })
}

async function act(
  options: RestorePageOptions,
  c: Context<RouteEnv>,
  asked: Asked,
): Promise<Response> {
  const form = await readForm(c.req.raw, MAX_FORM_BYTES)
  const reason = textField(form, 'reason') ?? ''
  try {
    const basedOn = parseDigest(textField(form, 'basedOn') ?? '')
    return await restore(options, c, asked, { reason, basedOn })
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'not-permitted') throw error
    c.env.reason = error.code
    const notice = `${error.message}. Nothing was restored. This page shows the current state.`
    return answer(options, c, asked, { reason, notice, status: statusOf(error) })
  }
}

async function restore(
  options: RestorePageOptions,
  c: Context<RouteEnv>,
  asked: Asked,
  { reason, basedOn }: { reason: string; basedOn: ReturnType<typeof parseDigest> },
): Promise<Response> {
  if (reason.trim() === '') throw malformed('A reason is required', 'reason')
  const order = { ...asked, reason: checkedMessage(reason, 'reason'), basedOn }
  const saved = await restoreNow(options, c.env.principal, order)
  const revision = numbered(options.history, saved.revision)
  const { links, flash } = options.pages
  const message = flash.query(c.env.principal, 'saved', `r${revision.number}`, saved)
  return c.redirect(links.change(revision, message), 303)
}

async function answer(
  options: RestorePageOptions,
  c: Context<RouteEnv>,
  asked: Asked,
  { reason, notice, status }: FormState,
): Promise<Response> {
  const preview = await previewRestore(options, c.env.principal, asked)
  const frame = options.pages.frame(c.req.raw, c.env.principal)
  const { view } = parseCompareQuery(c.req.query())
  const shown = { frame, preview, reason, notice, view }
  return pageResponse(<RestoreView {...shown} />, status)
}
