import { z } from 'zod'
import { readMaintenance, setMaintenance } from '../../configuration/maintenance-mode.ts'
import { isMaintained } from '../../core/maintenance.ts'
import { formAction } from '../frame/form-action.ts'
import { definePage, pageWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { MaintenanceView } from './maintenance-view.tsx'

const path = '/maintenance'

const route = pageWith<PagesContext>()

/** `/maintenance`: refuses changes of the configuration and new runs for a time. */
export const maintenancePage = definePage({
  open: (context) => context,
  routes: [
    route({
      method: 'GET',
      path,
      caller: 'administrator',
      handle: async (c, { pages, configuration }) => {
        const { principal } = c.env
        const maintenance = await readMaintenance(configuration, principal)
        const flash = pages.flash.take(c)
        const frame = pages.frame(c.req.raw, principal)
        return pageResponse(<MaintenanceView {...{ frame, flash, maintenance }} />, 200, NO_STORE)
      },
    }),
    route({
      method: 'POST',
      path,
      caller: 'administrator',
      audit: 'set-maintenance',
      handle: formAction({
        fields: z.object({
          saves: z.string().optional(),
          starts: z.string().optional(),
          reason: z.string().default(''),
        }),
        act: async ({ pages: { links }, configuration }, c, { fields }) => {
          const set = await setMaintenance(configuration, c.env.principal, {
            saves: fields.saves === undefined ? 'allowed' : 'refused',
            starts: fields.starts === undefined ? 'allowed' : 'refused',
            reason: fields.reason,
          })
          const kind = isMaintained(set) ? 'maintenance-begun' : 'maintenance-ended'
          return { says: [kind, ''], to: (flash) => links.maintenance(flash) }
        },
      }),
    }),
  ],
})
