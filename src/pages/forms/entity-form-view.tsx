import type { FormPart } from '../../document/form/form-shape.ts'
import { MessageField } from '../edit/edit-view.tsx'
import { ActionButton, LinkButton, SAVE } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { ProblemList } from '../kit/lists.tsx'
import { NoticeCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { RevisionName } from '../parts/revision-name.tsx'
import { FormFields, Part, type ShownForm, Suggestions } from './form-fields.tsx'

export interface EntityFormViewProps extends ShownForm {
  readonly frame: PageFrame
  readonly kind: string
  /** Empty for a new entity. */
  readonly name: string
  /** The digest of the document that the form began from, and that of the entity; null for a new one. */
  readonly basedOn: string
  readonly entity: string | null
  /** The revision that the form began from; null when the branch has it no longer. */
  readonly number: number | null
  readonly message: string
  readonly notice: string | null
  /** Parts of the entity that the form does not show, in words; null where it shows everything. */
  readonly untouched: string | null
  /** The pipelines of a group. */
  readonly members: readonly string[]
  /** The template that a pipeline has its stages from. */
  readonly template: string | null
}

/** The form of an entity: fields as the schema has them, with the values of now. */
export function EntityFormView(props: EntityFormViewProps) {
  const { frame, kind, name, shape, problems, notice } = props
  const { links } = frame
  const title = formTitle(props)
  const action = name === '' ? links.newEntity(kind) : links.form({ kind, name })
  const cards = shape.parts.filter(isCard)
  return (
    <PageLayout
      frame={frame}
      title={title}
      section={kind === 'pipeline' ? 'pipelines' : 'edit'}
      styles={['edit.css']}
    >
      <form class="edit entity-form" method="post" action={action} autocomplete="off">
        <FormBaseFields {...props} />
        <PageHead title={title} about={<About {...props} />} actions={<Actions {...props} />} />
        <NoticeCard>{notice}</NoticeCard>
        <ProblemList
          title={`Fix ${countOf(problems.length, 'problem')} before saving`}
          problems={problems}
          of={({ path, message }) =>
            path === null ? message : <a href={`#f.${path}`}>{message}</a>
          }
          isAlert
        />
        {cards.length > 1 && <Tabs cards={cards} />}
        <section class="card fields" id="general">
          <h2>General</h2>
          <FormFields {...props} path="" />
          <TemplateNote {...props} />
        </section>
        {cards.map((part) => (
          <section class="card fields" id={`part-${part.name}`}>
            <h2>{part.label}</h2>
            <Part {...props} part={part} path="" isTitled />
          </section>
        ))}
        <Members {...props} />
        <Suggestions suggested={props.suggested} />
      </form>
    </PageLayout>
  )
}

/** Lists and sections are cards of their own; the fields of the entity itself share one. */
function isCard({ kind }: FormPart): boolean {
  return kind === 'list' || kind === 'section'
}

export function formTitle({ kind, name }: Pick<EntityFormViewProps, 'kind' | 'name'>): string {
  return name === '' ? `New ${kind}` : `Edit ${kind} ${name}`
}

/** The state that a form began from. */
export function FormBaseFields({
  basedOn,
  entity,
}: Pick<EntityFormViewProps, 'basedOn' | 'entity'>) {
  return (
    <>
      <input type="hidden" name="basedOn" value={basedOn} />
      <input type="hidden" name="entity" value={entity ?? ''} />
    </>
  )
}

function About({ frame, kind, name, number, untouched }: EntityFormViewProps) {
  return (
    <>
      {number !== null && (
        <>
          Started from <RevisionName frame={frame} number={number} />.{' '}
        </>
      )}
      {untouched !== null && `Not on this form, and left unchanged: ${untouched}. `}
      {name !== '' && <a href={frame.links.entity(kind, name)}>History</a>}
    </>
  )
}

function Actions({ frame: { links }, kind, name, message }: EntityFormViewProps) {
  return (
    <>
      <MessageField message={message} />
      <ActionButton value="preview" label="Preview changes" look="primary" shortcut={SAVE} />
      {name !== '' && (
        <LinkButton href={links.edit({ entity: `${kind}/${name}` })} label="As XML" />
      )}
    </>
  )
}

function Tabs({ cards }: { cards: readonly FormPart[] }) {
  return (
    <nav class="actions form-tabs" aria-label="Parts of the form">
      <a href="#general">General</a>
      {cards.map(({ name, label }) => (
        <a href={`#part-${name}`}>{label}</a>
      ))}
    </nav>
  )
}

function TemplateNote({ frame: { links }, template }: EntityFormViewProps) {
  if (template === null) return <></>
  return (
    <p class="muted">
      {'Its stages come from the template '}
      <a href={links.form({ kind: 'template', name: template })}>{template}</a>.
    </p>
  )
}

function Members({ frame: { links }, kind, name, members }: EntityFormViewProps) {
  if (kind !== 'group' || name === '') return <></>
  return (
    <section class="card">
      <h2>Pipelines</h2>
      <p class="actions">
        {members.map((pipeline) => (
          <LinkButton href={links.form({ kind: 'pipeline', name: pipeline })} label={pipeline} />
        ))}
      </p>
      <p class="actions">
        <LinkButton
          href={links.newPipeline({ pipelineGroup: name })}
          label="Add a pipeline"
          icon="plus"
        />
      </p>
    </section>
  )
}
