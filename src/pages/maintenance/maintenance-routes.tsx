import { z } from 'zod'
import { readMaintenance, setMaintenance } from '../../configuration/maintenance-mode.ts'
import { isMaintained, type ServiceMaintenance } from '../../core/service/maintenance.ts'
import { definePage, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { ActionForm, Field } from '../kit/forms.tsx'
import { type OpenPageWithMessage, PageLayout } from '../kit/layout.tsx'
import { FlashCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { Moment } from '../kit/when.tsx'

const path = '/maintenance'

const { get, formAt } = routesWith<PagesContext>()

/** `/maintenance`: refuses changes of the configuration and new runs for a time. */
export const maintenancePage = definePage([
  get(
    path,
    async ({ pages, configuration }, c) => {
      const { principal } = c.env
      const maintenance = await readMaintenance(configuration, principal)
      const view = { ...pages.openWithMessage(c), maintenance }
      return pageResponse(<MaintenanceView {...view} />, 200, NO_STORE)
    },
    { caller: 'administrator' },
  ),
  formAt(path, {
    caller: 'administrator',
    audit: 'set-maintenance',
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
])

interface MaintenanceViewProps extends OpenPageWithMessage {
  readonly maintenance: ServiceMaintenance
}

/** The maintenance mode, and the form that changes it. */
function MaintenanceView({ frame, flash, maintenance }: MaintenanceViewProps) {
  const { saves, starts, reason, by, since } = maintenance
  return (
    <PageLayout
      frame={frame}
      title="Maintenance"
      description="Temporarily refuses configuration changes and new runs."
    >
      {flash && <FlashCard flash={flash} />}
      <PageHead
        title="Maintenance"
        about={
          since === null ? (
            'Everything is allowed.'
          ) : (
            <>
              {isMaintained(maintenance) ? 'Refused' : 'Everything is allowed, set'} by {by},{' '}
              <Moment time={since} />.
            </>
          )
        }
      />
      <ActionForm
        action={frame.links.maintenance()}
        title="Refuse temporarily"
        about="Runs in progress continue, including stages that start automatically. This applies to all servers and survives restarts, until it is changed here."
        buttons={<button class="primary">Apply</button>}
      >
        <Choice name="saves" label="Refuse configuration changes" isChecked={saves === 'refused'} />
        <Choice name="starts" label="Refuse new runs" isChecked={starts === 'refused'} />
        <Field label="Reason (shown to everyone)" name="reason" value={reason} maxlength={1000} />
      </ActionForm>
    </PageLayout>
  )
}

function Choice({ name, label, isChecked }: { name: string; label: string; isChecked: boolean }) {
  return (
    <label>
      <input type="checkbox" name={name} value="refused" checked={isChecked} /> {label}
    </label>
  )
}
