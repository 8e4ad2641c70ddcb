import { Hono } from 'hono'
import type { Clock } from '../../lib/clock.ts'
import { type AuditDeps, readAudit } from '../../notify/audit/read-audit.ts'
import { parseAuditQuery } from '../../api/service/audit-query.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { pageResponse } from '../frame/page-response.ts'
import type { PageContext } from '../frame/page-context.ts'
import { AuditView } from './audit-view.tsx'

export interface AuditPageOptions extends AuditDeps {
  readonly pages: PageContext
  readonly clock: Clock
}

/** `/audit`: the audit log as a page. */
export function auditPageRoutes(options: AuditPageOptions) {
  return new Hono<RouteEnv>().get('/audit', async (c) => {
    const query = parseAuditQuery(c.req.query())
    const page = await readAudit(options, c.env.principal, query)
    const frame = options.pages.frame(c.req.raw, c.env.principal)
    const view = { frame, query, page, now: options.clock() }
    return pageResponse(<AuditView {...view} />)
  })
}
