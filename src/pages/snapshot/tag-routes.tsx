import type { Context } from 'hono'
import { z } from 'zod'
import { tagRevision, untagRevision } from '../../configuration/read/revision-tags.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { textField } from '../../http/request-body.ts'
import { formAction } from '../frame/form-action.ts'
import { defineLeaderPage, pageWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { showRefusedTag } from './snapshot-routes.tsx'

const Fields = z.object({ name: z.string().trim().default(''), from: z.string().optional() })

const route = pageWith<LeaderPagesContext>()

/** `/config/[name]/tags`: names for a revision, as tags of git. */
export const tagForms = defineLeaderPage([
  route({
    method: 'GET',
    path: '/config/:name/tags',
    handle: (c, { pages }) => c.redirect(pages.links.snapshot(c.req.param('name')), 303),
  }),
  route({
    method: 'POST',
    path: '/config/:name/tags',
    audit: 'tag-revision',
    handle: (c, context) => changing(c.req.param('name'), 'tagged')(c, context),
  }),
  route({
    method: 'POST',
    path: '/config/:name/tags/remove',
    audit: 'untag-revision',
    handle: (c, context) => changing(c.req.param('name'), 'untagged')(c, context),
  }),
])

const CHANGES = { tagged: tagRevision, untagged: untagRevision } as const

function changing(revision: string, kind: keyof typeof CHANGES) {
  return formAction({
    fields: Fields,
    act: async ({ configuration, pages }: LeaderPagesContext, c: Context<RouteEnv>, { fields }) => {
      const { links } = pages
      const { name, from } = fields
      await CHANGES[kind](configuration, c.env.principal, { revision, name })
      return {
        says: [kind, name],
        to: (flash) =>
          from === undefined
            ? links.snapshot(revision, flash)
            : links.compare(from, revision, flash),
      }
    },
    refused: (context, c, { error, status }, form) => {
      const refused = { name: textField(form, 'name')?.trim() ?? '', reason: error.message }
      return showRefusedTag(context, c, { revision, refused, status })
    },
  })
}
