import { isMaintained, type ServiceMaintenance } from '../../core/maintenance.ts'
import { ActionForm, Field } from '../kit/forms.tsx'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { FlashCard, type FlashMessage } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { Moment } from '../kit/when.tsx'

interface MaintenanceViewProps {
  readonly frame: PageFrame
  readonly flash: FlashMessage | null
  readonly maintenance: ServiceMaintenance
}

/** The maintenance mode, and the form that changes it. */
export function MaintenanceView({ frame, flash, maintenance }: MaintenanceViewProps) {
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
