import type { Context } from 'hono'
import { ServiceError } from '../../core/errors.ts'
import { entityAddress } from '../revisions/entity-address.ts'
import { numbered } from '../revisions/numbered-revision.ts'
import { restoreNow } from './restore-plan.ts'
import { previewRestore } from './restore-preview.ts'
import type { RestoreScope } from './restore-scope.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { statusOf } from '../../http/errors.ts'
import { malformed, parseDigest } from '../../http/parameters.ts'
import { readForm, textField } from '../../http/request-body.ts'
import { checkedMessage } from '../../http/change-message.ts'
import { pageResponse } from '../frame/page-response.ts'
import { defineLeaderPage, pageWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { parseCompareQuery } from '../code/compare-query.ts'
import { RestoreView } from './restore-view.tsx'

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

const route = pageWith<LeaderPagesContext>()

/** `…/restore` and `…/undo`: the preview of a restore, and the restore itself. */
export const restorePages = defineLeaderPage({
  open: (context) => context,
  routes: [
    route({
      method: 'GET',
      path: '/config/:name/restore',
      handle: (c, context) => show(context, c, whole(c.req.param('name'))),
    }),
    route({
      method: 'POST',
      path: '/config/:name/restore',
      audit: 'restore-revision',
      handle: (c, context) => act(context, c, whole(c.req.param('name'))),
    }),
    route({
      method: 'GET',
      path: '/config/:name/undo',
      handle: (c, context) => show(context, c, change(c, c.req.param('name'))),
    }),
    route({
      method: 'POST',
      path: '/config/:name/undo',
      audit: 'undo-revision',
      handle: (c, context) => act(context, c, change(c, c.req.param('name'))),
    }),
    route({
      method: 'GET',
      path: '/config/entity/:kind/:name/restore/:from',
      handle: (c, context) => show(context, c, one(c.req.param())),
    }),
    route({
      method: 'POST',
      path: '/config/entity/:kind/:name/restore/:from',
      audit: 'restore-entity',
      handle: (c, context) => act(context, c, one(c.req.param())),
    }),
  ],
})

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

function show(context: LeaderPagesContext, c: Context<RouteEnv>, asked: Asked): Promise<Response> {
  return answer(context, c, asked, { reason: '', notice: null, status: 200 })
}

async function act(
  context: LeaderPagesContext,
  c: Context<RouteEnv>,
  asked: Asked,
): Promise<Response> {
  const form = await readForm(c.req.raw, MAX_FORM_BYTES)
  const reason = textField(form, 'reason') ?? ''
  try {
    const basedOn = parseDigest(textField(form, 'basedOn') ?? '')
    return await restore(context, c, asked, { reason, basedOn })
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'not-permitted') throw error
    c.env.reason = error.code
    const notice = `${error.message}. Nothing was restored. This page shows the current state.`
    return answer(context, c, asked, { reason, notice, status: statusOf(error) })
  }
}

async function restore(
  context: LeaderPagesContext,
  c: Context<RouteEnv>,
  asked: Asked,
  { reason, basedOn }: { reason: string; basedOn: ReturnType<typeof parseDigest> },
): Promise<Response> {
  if (reason.trim() === '') throw malformed('A reason is required', 'reason')
  const order = { ...asked, reason: checkedMessage(reason, 'reason'), basedOn }
  const saved = await restoreNow(context.builds, c.env.principal, order)
  const revision = numbered(context.builds.history, saved.revision)
  const { links, flash } = context.pages
  const { principal } = c.env
  const message = flash.query(principal, 'saved', `r${revision.number}`, saved)
  const { scope } = asked
  if (context.builds.access.may(principal, { action: 'administer' })) {
    return c.redirect(links.change(revision, message), 303)
  }
  const { kind, name } = scope.kind === 'entity' ? scope.address : { kind: '', name: '' }
  return c.redirect(kind === '' ? links.pipelines(message) : links.entity(kind, name, message), 303)
}

async function answer(
  context: LeaderPagesContext,
  c: Context<RouteEnv>,
  asked: Asked,
  { reason, notice, status }: FormState,
): Promise<Response> {
  const preview = await previewRestore(context.builds, c.env.principal, asked)
  const frame = context.pages.frame(c.req.raw, c.env.principal)
  const { view } = parseCompareQuery(c.req.query())
  const shown = { frame, preview, reason, notice, view }
  return pageResponse(<RestoreView {...shown} />, status)
}
