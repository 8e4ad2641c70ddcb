import { Hono } from 'hono'
import type { AuditEntry, AuditPage } from '../../core/audit.ts'
import type { Clock } from '../../lib/clock.ts'
import { type AuditDeps, readAudit } from '../../notify/audit/audit.ts'
import { parseAuditQuery } from '../../api/service/audit-query.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { pageResponse } from '../frame/page-response.ts'
import type { PageContext } from '../frame/page-context.ts'
import { auditSentence, type AuditSentenceDeps } from './audit-sentence.ts'
import { AuditView } from './audit-view.tsx'

export interface AuditPageOptions extends AuditDeps, AuditSentenceDeps {
  readonly pages: PageContext
  readonly clock: Clock
}

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

/** `/audit`: the audit log as a page. */
export function auditPageRoutes(options: AuditPageOptions) {
  return new Hono<RouteEnv>().get('/audit', async (c) => {
    const query = parseAuditQuery(c.req.query())
    const page = foldChanges(await readAudit(options, c.env.principal, query))
    const frame = options.pages.frame(c.req.raw, c.env.principal)
    const sentenceOf = (entry: AuditEntry) => auditSentence(options, options.pages.links, entry)
    const days = dayFields(c.req.query())
    const isWhole = options.state !== null
    const view = { frame, query, page, sentenceOf, days, isWhole, now: options.clock() }
    return pageResponse(<AuditView {...view} />)
  })
}
