import { type SavePreview, SavePreviewParts } from '../edit/save-preview.tsx'
import type { PageFrame } from '../kit/layout.tsx'
import { FormPage, formTitle } from './entity-form-view.tsx'
import type { OpenForm } from './open-form.ts'

export interface FormPreviewViewProps extends SavePreview {
  readonly frame: PageFrame
  readonly open: OpenForm
  /** The fields of the form, to be sent again. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Whether changes of others since the form was opened are merged in. */
  readonly isMerged: boolean
  /** The element with its secrets hidden; null where it is too long to show. */
  readonly xml: string | null
}

/** The effects of a form, shown before it is saved or proposed. */
export function FormPreviewView(props: FormPreviewViewProps) {
  const { frame, open, current } = props
  const title = `Preview: ${formTitle(open)}`
  return (
    <FormPage
      {...{ frame, open, title }}
      class="edit"
      wide
      says={props.hasInvalidEdit ? ['live-file'] : []}
      styles={['code.css', 'compare.css', 'edit.css']}
    >
      {props.fields.map(([field, value]) => (
        <input type="hidden" name={field} value={value} />
      ))}
      <SavePreviewParts
        frame={frame}
        title={title}
        back="Back to the form"
        preview={props}
        merged={
          props.isMerged
            ? `r${current.number} was saved while you were editing; your changes merged cleanly.`
            : null
        }
      >
        <details class="card">
          <summary>{`XML of the ${open.kind}`}</summary>
          {props.xml === null ? (
            <p class="muted">It is too long to show here. The changes are below.</p>
          ) : (
            <pre class="code">{props.xml}</pre>
          )}
        </details>
      </SavePreviewParts>
    </FormPage>
  )
}
