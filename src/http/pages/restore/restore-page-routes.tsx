import { type Context, Hono } from 'hono'
import type { Clock } from '../../../core/clock.ts'
import { ServiceError } from '../../../core/errors.ts'
import { restoreRevision } from '../../../services/config-restoring.ts'
import type { ComparisonDeps } from '../../../services/pages/compare/comparison.ts'
import { findNamed, numbered } from '../../../services/pages/numbered-revision.ts'
import { previewRestore } from '../../../services/pages/restore-preview.ts'
import type { RouteEnv } from '../../door.ts'
import { statusOf } from '../../errors.ts'
import { malformed, parseDigest } from '../../parameters.ts'
import { readForm, textField } from '../../request-body.ts'
import { checkedReason } from '../../restore-routes.ts'
import { pageResponse } from '../page-response.ts'
import type { Shell } from '../shell.ts'
import { RestoreView } from './restore-view.tsx'

export interface RestorePageOptions extends ComparisonDeps {
  readonly shell: Shell
  readonly clock: Clock
}

const LARGEST_FORM = 16_384

interface Told {
  readonly reason: string
  readonly notice: string | null
  readonly status: number
}

/** `/config/[name]/restore`: what a restore would change, and the restore itself. */
export function restorePageRoutes(options: RestorePageOptions) {
  return new Hono<RouteEnv>()
    .get('/config/:name/restore', (c) =>
      answer(options, c, { reason: '', notice: null, status: 200 }),
    )
    .post('/config/:name/restore', async (c) => {
      const form = await readForm(c.req.raw, LARGEST_FORM)
      const reason = textField(form, 'reason') ?? ''
      try {
        return await restore(options, c, { reason, basedOn: textField(form, 'basedOn') ?? '' })
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code === 'not-permitted') throw error
        const notice = `${error.message}. Nothing is restored; this is how it is now.`
        return answer(options, c, { reason, notice, status: statusOf(error) })
      }
    })
}

type NamedContext = Context<RouteEnv, '/config/:name/restore'>

async function restore(
  options: RestorePageOptions,
  c: NamedContext,
  { reason, basedOn }: { reason: string; basedOn: string },
): Promise<Response> {
  const { principal } = c.env
  const { commit } = findNamed(options, principal, c.req.param('name'))
  if (reason.trim() === '') throw malformed('A reason is needed', 'reason')
  const request = { commit, reason: checkedReason(reason), basedOn: parseDigest(basedOn) }
  const { revision } = await restoreRevision(options, principal, request)
  const { number } = numbered(options.history, revision)
  return c.redirect(options.shell.links.compare(`r${number - 1}`, `r${number}`), 303)
}

async function answer(
  options: RestorePageOptions,
  c: NamedContext,
  { reason, notice, status }: Told,
): Promise<Response> {
  const preview = await previewRestore(options, c.env.principal, c.req.param('name'))
  const chrome = options.shell.chrome(c.req.raw, c.env.principal)
  const view = { chrome, preview, reason, notice, now: options.clock() }
  return pageResponse(<RestoreView {...view} />, status)
}
