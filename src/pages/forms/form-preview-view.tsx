import { type SavePreview, SavePreviewParts } from '../edit/save-preview.tsx'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { FormBaseFields, formTitle } from './entity-form-view.tsx'

export interface FormPreviewViewProps extends SavePreview {
  readonly frame: PageFrame
  readonly kind: string
  readonly name: string
  /** The digest of the document that the form began from, and that of the entity; null for a new one. */
  readonly basedOn: string
  readonly entity: string | null
  /** The fields of the form, to be sent again. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Whether changes of others since the form was opened are merged in. */
  readonly isMerged: boolean
  /** The element with its secrets hidden; null where it is too long to show. */
  readonly xml: string | null
}

/** The effects of a form, shown before it is saved or proposed. */
export function FormPreviewView(props: FormPreviewViewProps) {
  const { frame, kind, name, current } = props
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
        <SavePreviewParts
          {...{ links, title }}
          back="Back to the form"
          preview={props}
          merged={
            props.isMerged
              ? `r${current.number} was saved while you were editing; your changes merged cleanly.`
              : null
          }
        >
          <details class="card">
            <summary>{`XML of the ${kind}`}</summary>
            {props.xml === null ? (
              <p class="muted">It is too long to show here. The changes are below.</p>
            ) : (
              <pre class="code">{props.xml}</pre>
            )}
          </details>
        </SavePreviewParts>
      </form>
    </PageLayout>
  )
}
