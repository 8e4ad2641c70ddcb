import { Hono } from 'hono'
import { type AuditDeps, readAudit } from '../../notify/audit/read-audit.ts'
import type { AuditBody } from '../../wire/audit-body.ts'
import { parseAuditQuery } from './audit-query.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json } from '../../http/errors.ts'

/** `/api/audit`: who did what, newest first, to administrators. */
export function auditRoutes(deps: AuditDeps) {
  return new Hono<RouteEnv>().get('/api/audit', async (c) => {
    const query = parseAuditQuery(c.req.query())
    return json((await readAudit(deps, c.env.principal, query)) satisfies AuditBody)
  })
}
