import type { AuditEntry, AuditPage } from '../../core/audit.ts'
import { readAudit } from '../../notify/audit/audit.ts'
import { parseAuditQuery } from '../../api/service/audit-query.ts'
import { pageResponse } from '../frame/page-response.ts'
import { definePage, pageWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { auditSentence } from './audit-sentence.ts'
import { AuditView } from './audit-view.tsx'

/** The days as they are written in the address. */
function dayFields({ since = '', until = '' }: Readonly<Record<string, string>>) {
  return { since, until }
}

/**
 * One row for each deed: the revision that a request made is in the entry of the request, so that its
 * own entry says nothing new beside it.
 */
function foldChanges({ entries, next }: AuditPage): AuditPage {
  const made = new Set(entries.filter(isOfRequest).map(changeKey))
  const isFolded = (entry: AuditEntry) =>
    entry.action === 'change-configuration' && made.has(changeKey(entry))
  return { entries: entries.filter((entry) => !isFolded(entry)), next }
}

function isOfRequest({ request, outcome, md5 }: AuditEntry): boolean {
  return request !== undefined && outcome === 'done' && md5 !== undefined
}

function changeKey({ user, md5 = '' }: AuditEntry): string {
  return `${user} ${md5}`
}

const route = pageWith<PagesContext>()

/** `/audit`: the audit log as a page. */
export const auditPage = definePage({
  open: (context) => context,
  routes: [
    route({
      method: 'GET',
      path: '/audit',
      needs: 'leader-if-reachable',
      handle: async (c, { pages, notify, configuration, clock }) => {
        const query = parseAuditQuery(c.req.query())
        const entries = foldChanges(await readAudit(notify, c.env.principal, query))
        const frame = pages.frame(c.req.raw, c.env.principal)
        const sentenceOf = (entry: AuditEntry) => auditSentence(configuration, pages.links, entry)
        const days = dayFields(c.req.query())
        const isWhole = configuration.runs() !== null
        const view = { frame, query, page: entries, sentenceOf, days, isWhole, now: clock() }
        return pageResponse(<AuditView {...view} />)
      },
    }),
  ],
})
