import type { Context } from 'hono'
import { z } from 'zod'
import { type EntityAddress, entityAddress } from '../revisions/entity-address.ts'
import { numbered } from '../revisions/numbered-revision.ts'
import { changedSince } from '../../configuration/save/config-restoring.ts'
import type { Principal } from '../../core/principal.ts'
import { proposeChange, refusedSave } from '../edit/propose-change.ts'
import { readyRestore, restoreNow } from './restore-plan.ts'
import { previewRestore } from './restore-preview.ts'
import type { RestoreScope } from './restore-scope.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { malformed, parseDigest } from '../../http/parameters.ts'
import { textField } from '../../http/request-body.ts'
import { checkedMessage } from '../../http/change-message.ts'
import type { FormAction, FormDone } from '../frame/form-action.ts'
import { pageResponse } from '../frame/page-response.ts'
import { defineLeaderPage, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { parseCompareQuery } from '../code/compare-query.ts'
import { RestoreView } from './restore-view.tsx'

const Fields = z.object({
  action: z.string().default('restore'),
  reason: z.string().default(''),
  basedOn: z.string().default(''),
})

const ENTITY = '/config/entity/:kind/:name/restore/:from'
const UNDO_OF_ENTITY = '/config/entity/:kind/:name/undo/:from'
/** Of an entity that is the only one of its kind. */
const UNDO_OF_ALONE = '/config/entity/:kind/undo/:from'

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

const { get, formAt } = routesWith<LeaderPagesContext>()

/** `…/restore` and `…/undo`: the preview of a restore, and the restore itself. */
export const restorePages = defineLeaderPage([
  get('/config/:name/restore', (context, c) => answer(context, c, whole(c))),
  formAt('/config/:name/restore', { audit: 'restore-revision', ...restoring(whole) }),
  get('/config/:name/undo', (context, c) => answer(context, c, change(c))),
  formAt('/config/:name/undo', { audit: 'undo-revision', ...restoring(change) }),
  get(ENTITY, (context, c) => answer(context, c, one(c))),
  formAt(ENTITY, { audit: 'restore-entity', ...restoring(one) }),
  get(UNDO_OF_ENTITY, (context, c) => answer(context, c, changeOfOne(c))),
  formAt(UNDO_OF_ENTITY, { audit: 'undo-revision', ...restoring(changeOfOne) }),
  get(UNDO_OF_ALONE, (context, c) => answer(context, c, changeOfOne(c))),
  formAt(UNDO_OF_ALONE, { audit: 'undo-revision', ...restoring(changeOfOne) }),
])

function whole(c: Context<RouteEnv, '/config/:name'>): Asked {
  return { name: c.req.param('name'), scope: { kind: 'revision' } }
}

function change(c: Context<RouteEnv, '/config/:name'>): Asked {
  return { name: c.req.param('name'), scope: undoing(c, null) }
}

function undoing(c: Context<RouteEnv>, address: EntityAddress | null): RestoreScope {
  return { kind: 'change', isRest: c.req.query('rest') === '1', address }
}

function changeOfOne(c: Context<RouteEnv, typeof UNDO_OF_ENTITY | typeof UNDO_OF_ALONE>): Asked {
  const address = entityAddress(c.req.param('kind'), c.req.param('name') ?? '')
  return { name: c.req.param('from'), scope: undoing(c, address) }
}

function one(c: Context<RouteEnv, typeof ENTITY>): Asked {
  const { kind, name, from } = c.req.param()
  return { name: from, scope: { kind: 'entity', address: entityAddress(kind, name) } }
}

/** The form about a restore. */
function restoring<Path extends string>(
  askedIn: (c: Context<RouteEnv, Path>) => Asked,
): FormAction<LeaderPagesContext, Path, typeof Fields> {
  return {
    fields: Fields,
    act: (context, c, { fields }) =>
      fields.action === 'propose'
        ? proposeRestore(context, c.env.principal, askedIn(c), fields)
        : restore(context, c.env.principal, askedIn(c), fields),
    explains: ['not-permitted'],
    refused: (context, c, { error, status }, sent) => {
      const refused = refusedSave(error)
      if (error.code === 'not-permitted' && refused === null) throw error
      const shown = 'Nothing was restored. This page shows the current state.'
      const notice = refused ?? `${error.message}. ${shown}`
      const reason = textField(sent, 'reason') ?? ''
      return answer(context, c, askedIn(c), { reason, notice, status })
    },
  }
}

async function restore(
  { builds, pages: { links } }: LeaderPagesContext,
  principal: Principal,
  asked: Asked,
  fields: z.infer<typeof Fields>,
): Promise<FormDone> {
  const order = { ...asked, ...givenIn(fields) }
  const saved = await restoreNow(builds, principal, order)
  const revision = numbered(builds.history, saved.revision)
  const { scope } = asked
  return {
    says: ['saved', `r${revision.number}`],
    saved,
    to: (flash) => {
      if (builds.access.may(principal, { action: 'administer' })) {
        return links.change(revision, flash)
      }
      const address = scope.kind === 'revision' ? null : scope.address
      return address === null
        ? links.pipelines(flash)
        : links.entity(address.kind, address.name, flash)
    },
  }
}

/** The same as a proposal, of what the page has shown. */
async function proposeRestore(
  context: LeaderPagesContext,
  principal: Principal,
  asked: Asked,
  fields: z.infer<typeof Fields>,
): Promise<FormDone> {
  const { reason: message, basedOn } = givenIn(fields)
  const ready = await readyRestore(context.builds, principal, asked)
  const { current, before, document, subject } = ready
  if (current.digest !== basedOn) throw changedSince(current)
  const restored = { base: basedOn, before, after: document, message, summary: subject }
  return proposeChange(context, principal, restored)
}

function givenIn({ basedOn, reason }: z.infer<typeof Fields>) {
  if (reason.trim() === '') throw malformed('A reason is required', 'reason')
  return { basedOn: parseDigest(basedOn, 'basedOn'), reason: checkedMessage(reason, 'reason') }
}

async function answer(
  context: LeaderPagesContext,
  c: Context<RouteEnv>,
  asked: Asked,
  { reason, notice, status }: FormState = { reason: '', notice: null, status: 200 },
): Promise<Response> {
  const preview = await previewRestore(context, c.env.principal, { ...asked, reason })
  const frame = context.pages.frame(c.req.raw, c.env.principal)
  const { view } = parseCompareQuery(c.req.query())
  const shown = { frame, preview, reason, notice, view }
  return pageResponse(<RestoreView {...shown} />, status)
}
