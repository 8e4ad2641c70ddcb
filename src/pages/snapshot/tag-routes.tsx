import { z } from 'zod'
import { tagRevision, untagRevision } from '../../configuration/read/revision-tags.ts'
import { textField } from '../../http/request-body.ts'
import type { FormAction } from '../frame/form-action.ts'
import { defineLeaderPage, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { showRefusedTag } from './snapshot-routes.tsx'

const Fields = z.object({ name: z.string().trim().default(''), from: z.string().optional() })

const { get, formAt } = routesWith<LeaderPagesContext>()

/** `/config/[name]/tags`: names for a revision, as tags of git. */
export const tagForms = defineLeaderPage([
  get('/config/:name/tags', ({ pages }, c) =>
    c.redirect(pages.links.snapshot(c.req.param('name')), 303),
  ),
  formAt('/config/:name/tags', { audit: 'tag-revision', ...changing('tagged') }),
  formAt('/config/:name/tags/remove', { audit: 'untag-revision', ...changing('untagged') }),
])

const CHANGES = { tagged: tagRevision, untagged: untagRevision } as const

function changing(
  kind: keyof typeof CHANGES,
): FormAction<LeaderPagesContext, '/config/:name', typeof Fields> {
  return {
    fields: Fields,
    act: async ({ configuration, pages: { links } }, c, { fields: { name, from } }) => {
      const revision = c.req.param('name')
      await CHANGES[kind](configuration, c.env.principal, { revision, name })
      return {
        says: [kind, name],
        to: (flash) =>
          from === undefined
            ? links.snapshot(revision, flash)
            : links.compare(from, revision, flash),
      }
    },
    refused: (context, c, { error, status }, sent) => {
      const refused = { name: textField(sent, 'name')?.trim() ?? '', reason: error.message }
      return showRefusedTag(context, c, { revision: c.req.param('name'), refused, status })
    },
  }
}
