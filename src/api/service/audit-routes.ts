import { z } from 'zod'
import { AuditOutcome } from '../../core/service/audit.ts'
import { readAudit } from '../../notify/audit/audit.ts'
import { parseAuditQuery } from './audit-query.ts'
import { json } from '../../http/errors.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { reads } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'
import { AuditBody } from '../../wire/service-bodies.ts'

const route = routeWith<ApiContext['notify']>('Service')

/** `/api/audit`: who did what, newest first, to administrators. */
export const auditResource = resource({
  conditional: true,
  open: ({ notify }: ApiContext) => notify,
  routes: [
    route({
      method: 'GET',
      path: '/api/audit',
      summary: 'The audit log: user, action, address and outcome; newest first',
      caller: 'administrator',
      query: {
        before: { text: 'Only entries with a smaller id', schema: z.int().min(0) },
        limit: { text: 'Entries at most: 100, or up to 1000', schema: z.int().min(0) },
        user: { text: 'Only those of this user', schema: z.string() },
        action: { text: 'Only this action, such as `enable-agent`', schema: z.string() },
        outcome: { text: 'Only those with this outcome', schema: AuditOutcome },
        address: { text: 'Only those from this address', schema: z.string() },
        since: {
          text: 'Only those from this day or time on, such as `2015-06-05`',
          schema: z.string(),
        },
        until: { text: 'Only those up to this day or time', schema: z.string() },
      },
      answers: reads('Entries', AuditBody),
      errors: ['malformed-request'],
      example: {
        query: { limit: '1', action: 'schedule-pipeline' },
        answer: {
          entries: [
            {
              id: 5,
              time: SAMPLE.time,
              user: 'admin',
              action: 'schedule-pipeline',
              target: `/api/pipelines/${SAMPLE.pipeline}/schedule`,
              address: '192.0.2.1',
              outcome: 'done',
              status: 202,
              request: 'PjbfZB7X-3',
            },
          ],
          next: 5,
        },
      },
      handle: async (c, deps) => {
        const query = parseAuditQuery(c.req.query())
        return json((await readAudit(deps, c.env.principal, query)) satisfies AuditBody)
      },
    }),
  ],
})
