import type { Plan } from '../../builds/plan/plan-configuration.ts'
import { PlainDiff } from '../code/plain-diff.tsx'
import type { DocumentComparison } from '../code/comparison.ts'
import { InvalidEditCard, MessageField } from '../edit/edit-view.tsx'
import { PlanCard } from '../edit/plan-card.tsx'
import { LineCounts } from '../history/history-table.tsx'
import { ActionButton, SAVE } from '../kit/buttons.tsx'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { ChangesCard } from '../parts/change-list.tsx'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import { FormBaseFields, formTitle } from './entity-form-view.tsx'

export interface FormPreviewViewProps {
  readonly frame: PageFrame
  readonly kind: string
  readonly name: string
  /** The digest of the document that the form began from, and that of the entity; null for a new one. */
  readonly basedOn: string
  readonly entity: string | null
  readonly message: string
  /** The fields of the form, to be sent again. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly current: NumberedRevision
  /** Whether changes of others since the form was opened are merged in. */
  readonly isMerged: boolean
  readonly comparison: DocumentComparison
  readonly hasInvalidEdit: boolean
  readonly plan: Plan
  /** The element with its secrets hidden; null where it is too long to show. */
  readonly xml: string | null
  /** Why nothing was saved, when that was tried. */
  readonly notice: string | null
}

/** The effects of a form, shown before it is saved or proposed. */
export function FormPreviewView(props: FormPreviewViewProps) {
  const { frame, kind, name, current, comparison, plan } = props
  const { links } = frame
  const action = name === '' ? links.newEntity(kind) : links.form({ kind, name })
  const title = `Preview: ${formTitle(props)}`
  return (
    <PageLayout
      frame={frame}
      title={title}
      section={kind === 'pipeline' ? 'pipelines' : 'edit'}
      wide
      styles={['code.css', 'compare.css', 'edit.css']}
    >
      <form class="edit" method="post" action={action} autocomplete="off">
        <FormBaseFields {...props} />
        {props.fields.map(([field, value]) => (
          <input type="hidden" name={field} value={value} />
        ))}
        <PageHead
          title={title}
          trail={[[<ActionButton value="edit" label="Back to the form" look="quiet" />, null]]}
          about={
            <>
              Compared with{' '}
              <a href={links.snapshot(`r${current.number}`)}>{`r${current.number}`}</a>:{' '}
              <LineCounts lines={comparison.lines} /> lines. Nothing is saved yet.
            </>
          }
          actions={
            <>
              <MessageField message={props.message} />
              <ActionButton value="propose" label="Propose" />
              <ActionButton value="save" label="Save" look="primary" shortcut={SAVE} />
            </>
          }
        />
        {props.notice !== null && (
          <p class="card bad" role="alert">
            {props.notice}
          </p>
        )}
        {props.hasInvalidEdit && <InvalidEditCard links={links} />}
        {props.isMerged && (
          <p class="card stale" role="status">
            {`r${current.number} was saved while you were editing; your changes merged cleanly.`}
          </p>
        )}
        <ChangesCard changes={comparison.changes} />
        <PlanCard plan={plan} />
        <details class="card">
          <summary>{`XML of the ${kind}`}</summary>
          {props.xml === null ? (
            <p class="muted">It is too long to show here. The changes are below.</p>
          ) : (
            <pre class="code">{props.xml}</pre>
          )}
        </details>
        <PlainDiff comparison={comparison} />
      </form>
    </PageLayout>
  )
}
