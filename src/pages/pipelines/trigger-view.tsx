import { FlashCard } from '../kit/notice.tsx'
import { ActionButton, LinkButton } from '../kit/buttons.tsx'
import { Field } from '../kit/forms.tsx'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { PageHead } from '../kit/page-head.tsx'
import type { Refusal } from '../runs/refusal.ts'
import { materialField, type TriggerPage, variableField } from './trigger-page.ts'

export interface TriggerViewProps {
  readonly frame: PageFrame
  readonly page: TriggerPage
  /** The fields of a form that was refused. */
  readonly typed: (field: string) => string | null
  readonly refusal: Refusal | null
}

/** The form of a run with other revisions, variables or configuration than it would have. */
export function TriggerView(props: TriggerViewProps) {
  const { frame, page, refusal } = props
  const { links } = frame
  const { name, group } = page
  return (
    <PageLayout frame={frame} title={`Trigger ${name}`} section="pipelines">
      <PageHead
        title={`Trigger ${name}`}
        trail={[
          ['Pipelines', links.pipelines()],
          [group, links.pipelines({ q: `group:"${group}"` })],
          [name, links.pipeline(name)],
        ]}
        about="Anything left unchanged uses the configuration and the newest revisions."
      />
      {refusal !== null && <FlashCard flash={refusal.flash} />}
      <form class="card fields" method="post">
        <Materials {...props} />
        <Variables {...props} />
        {page.mayChooseConfiguration && (
          <Field
            label="Job configuration"
            name="configuration"
            value={props.typed('configuration') ?? ''}
            placeholder="Current (or r12, a commit, a digest)"
            maxlength={64}
          />
        )}
        <p class="actions">
          <ActionButton value="trigger" label="Trigger run" icon="play" look="primary" />
          <LinkButton href={links.pipeline(name)} label="Cancel" />
        </p>
      </form>
    </PageLayout>
  )
}

function Materials({ page: { materials }, typed }: TriggerViewProps) {
  return (
    <>
      <h2>Materials</h2>
      {materials.map(({ fingerprint, label, revisions }) => (
        <>
          <Field
            label={label}
            name={materialField(fingerprint)}
            value={typed(materialField(fingerprint)) ?? ''}
            placeholder="Newest revision"
            list={`revisions-${fingerprint}`}
            maxlength={1000}
          />
          <datalist id={`revisions-${fingerprint}`}>
            {revisions.map((revision) => (
              <option value={revision} />
            ))}
          </datalist>
        </>
      ))}
    </>
  )
}

function Variables({ page: { variables }, typed }: TriggerViewProps) {
  if (variables.length === 0) return <></>
  return (
    <>
      <h2>Variables</h2>
      {variables.map(({ name, isSecure, value }) => (
        <Field
          label={name}
          type={isSecure ? 'password' : 'text'}
          name={variableField(name)}
          value={isSecure ? '' : (typed(variableField(name)) ?? value)}
          placeholder="As configured"
          autocomplete={isSecure ? 'new-password' : 'off'}
        />
      ))}
    </>
  )
}
