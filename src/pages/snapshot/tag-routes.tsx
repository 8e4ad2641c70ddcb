import type { Context } from 'hono'
import { tagRevision, untagRevision } from '../../configuration/read/revision-tags.ts'
import { ServiceError } from '../../core/errors.ts'
import { statusOf } from '../../http/errors.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { readForm, textField } from '../../http/request-body.ts'
import { defineLeaderPage, pageWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { showRefusedTag } from './snapshot-routes.tsx'

const MAX_FORM_BYTES = 4_096

const route = pageWith<LeaderPagesContext>()

/** `/config/[name]/tags`: names for a revision, as tags of git. */
export const tagForms = defineLeaderPage({
  open: (context) => context,
  routes: [
    route({
      method: 'GET',
      path: '/config/:name/tags',
      handle: (c, { pages }) => c.redirect(pages.links.snapshot(c.req.param('name')), 303),
    }),
    route({
      method: 'POST',
      path: '/config/:name/tags',
      audit: 'tag-revision',
      handle: (c, context) =>
        change(context, c, { revision: c.req.param('name'), act: tagRevision }),
    }),
    route({
      method: 'POST',
      path: '/config/:name/tags/remove',
      audit: 'untag-revision',
      handle: (c, context) =>
        change(context, c, { revision: c.req.param('name'), act: untagRevision }),
    }),
  ],
})

async function change(
  context: LeaderPagesContext,
  c: Context<RouteEnv>,
  { revision, act }: { readonly revision: string; readonly act: typeof tagRevision },
): Promise<Response> {
  const { configuration, pages } = context
  const { principal } = c.env
  const form = await readForm(c.req.raw, MAX_FORM_BYTES)
  const name = textField(form, 'name')?.trim() ?? ''
  try {
    await act(configuration, principal, { revision, name })
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'not-permitted') throw error
    c.env.reason = error.code
    const refused = { name, reason: error.message }
    return showRefusedTag(context, c, { revision, refused, status: statusOf(error) })
  }
  const done = act === tagRevision ? 'tagged' : 'untagged'
  const flash = pages.flash.query(principal, done, name)
  const from = textField(form, 'from')
  const { links } = pages
  const back =
    from === null ? links.snapshot(revision, flash) : links.compare(from, revision, flash)
  return c.redirect(back, 303)
}
