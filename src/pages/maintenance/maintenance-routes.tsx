import { readMaintenance, setMaintenance } from '../../configuration/maintenance-mode.ts'
import { isMaintained } from '../../core/maintenance.ts'
import { readForm, textField } from '../../http/request-body.ts'
import { definePage, pageWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { MaintenanceView } from './maintenance-view.tsx'

const MAX_FORM_BYTES = 16_384
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
      handle: async (c, { pages, configuration }) => {
        const { principal } = c.env
        const form = await readForm(c.req.raw, MAX_FORM_BYTES)
        const permitted = (name: string) => (textField(form, name) === null ? 'allowed' : 'refused')
        const set = await setMaintenance(configuration, principal, {
          saves: permitted('saves'),
          starts: permitted('starts'),
          reason: textField(form, 'reason') ?? '',
        })
        const kind = isMaintained(set) ? 'maintenance-begun' : 'maintenance-ended'
        const flash = pages.flash.query(principal, kind, '')
        return c.redirect(pages.links.maintenance(flash), 303)
      },
    }),
  ],
})
