import { Hono } from 'hono'
import type { AuditEntry } from '../../core/audit.ts'
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

/** `/audit`: the audit log as a page. */
export function auditPageRoutes(options: AuditPageOptions) {
  return new Hono<RouteEnv>().get('/audit', async (c) => {
    const query = parseAuditQuery(c.req.query())
    const page = await readAudit(options, c.env.principal, query)
    const frame = options.pages.frame(c.req.raw, c.env.principal)
    const sentenceOf = (entry: AuditEntry) => auditSentence(options, options.pages.links, entry)
    const days = dayFields(c.req.query())
    const isWhole = options.state !== null
    const view = { frame, query, page, sentenceOf, days, isWhole, now: options.clock() }
    return pageResponse(<AuditView {...view} />)
  })
}
