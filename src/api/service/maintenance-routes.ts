import { ServiceMaintenance } from '../../core/service/maintenance.ts'
import { readMaintenance, setMaintenance } from '../../configuration/maintenance-mode.ts'
import { json } from '../../http/errors.ts'
import { readJson } from '../../http/request-body.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { jsonAnswer, jsonBody, reads } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'
import { MaintenanceRequestBody } from '../../wire/service-bodies.ts'

const MAX_BODY_BYTES = 16_384

const path = '/api/maintenance'
const route = routeWith<ApiContext['configuration']>('Service')

const ENDED = { saves: 'allowed', starts: 'allowed', reason: 'The new disks are in' } as const

/** `/api/maintenance`: refuses saves and starts for a time, on all servers. */
export const maintenanceResource = resource({
  conditional: true,
  open: ({ configuration }: ApiContext) => configuration,
  routes: [
    route({
      method: 'GET',
      path,
      summary: 'Whether changes of the configuration and new runs are refused, and why',
      caller: 'administrator',
      answers: reads('The maintenance mode', ServiceMaintenance),
      example: {
        answer: { saves: 'allowed', starts: 'allowed', reason: '', by: '', since: null },
      },
      handle: async (c, deps) => json(await readMaintenance(deps, c.env.principal)),
    }),
    route({
      method: 'POST',
      path,
      summary: 'Refuses or allows changes of the configuration and new runs, until it is set again',
      caller: 'administrator',
      audit: 'set-maintenance',
      body: jsonBody(MaintenanceRequestBody),
      answers: { 200: jsonAnswer('The maintenance mode from now on', ServiceMaintenance) },
      errors: ['malformed-request', 'body-too-large'],
      example: { body: ENDED, answer: { ...ENDED, by: 'admin', since: SAMPLE.time } },
      handle: async (c, deps) => {
        const wanted = await readJson(c.req.raw, MAX_BODY_BYTES, MaintenanceRequestBody)
        return json(await setMaintenance(deps, c.env.principal, wanted))
      },
    }),
  ],
})
