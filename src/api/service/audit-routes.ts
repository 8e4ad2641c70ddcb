import { z } from 'zod'
import { AuditOutcome } from '../../core/audit.ts'
import { type AuditDeps, readAudit } from '../../notify/audit/read-audit.ts'
import { AuditBody } from '../../wire/audit-body.ts'
import { parseAuditQuery } from './audit-query.ts'
import { json } from '../../http/errors.ts'
import { reads } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'

const route = routeWith<AuditDeps>()

/** `/api/audit`: who did what, newest first, to administrators. */
export const auditResource = resource({
  conditional: true,
  open: (deps: AuditDeps) => deps,
  routes: [
    route({
      method: 'GET',
      path: '/api/audit',
      tag: 'Service',
      summary: 'Who did what, from where, and how it ended; newest first',
      caller: 'administrator',
      query: {
        before: { text: 'Only entries with a smaller id', schema: z.int().min(0) },
        limit: { text: 'Entries at most: 100, or up to 1000', schema: z.int().min(0) },
        user: { text: 'Only those of this user', schema: z.string() },
        action: { text: 'Only this action, such as `enable-agent`', schema: z.string() },
        outcome: { text: 'Only those that ended so', schema: AuditOutcome },
        address: { text: 'Only those from this address', schema: z.string() },
      },
      answers: reads('Entries', AuditBody),
      errors: ['malformed-request'],
      handle: async (c, deps) => {
        const query = parseAuditQuery(c.req.query())
        return json((await readAudit(deps, c.env.principal, query)) satisfies AuditBody)
      },
    }),
  ],
})
