import type { FormPart } from '../../document/form/form-shape.ts'
import { MessageField } from '../edit/edit-view.tsx'
import { FOR_OTHERS } from '../edit/propose-change.ts'
import { ActionButton, LinkButton, SAVE } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { type PageFrame, PageLayout, type PageProps } from '../kit/layout.tsx'
import { ProblemList } from '../kit/lists.tsx'
import { NoticeCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { RevisionName } from '../parts/revision-name.tsx'
import type { AroundForm } from './around-form.ts'
import { FormFields, Part, type ShownForm, Suggestions } from './form-fields.tsx'
import type { OpenForm } from './open-form.ts'

export interface EntityFormViewProps extends ShownForm, AroundForm {
  readonly frame: PageFrame
  readonly open: OpenForm
  /** The revision that the form began from; null when the branch has it no longer. */
  readonly number: number | null
  readonly message: string
  readonly notice: string | null
}

/** The form of an entity: fields as the schema has them, with the values of now. */
export function EntityFormView(props: EntityFormViewProps) {
  const { frame, open, problems, notice } = props
  const title = formTitle(open)
  const cards = open.shape.parts.filter(isCard)
  return (
    <FormPage {...{ frame, open, title }} class="edit entity-form" styles={['edit.css']}>
      <PageHead title={title} about={<About {...props} />} actions={<Actions {...props} />} />
      <NoticeCard>{notice}</NoticeCard>
      <NoticeCard>{open.isForOthers ? FOR_OTHERS : null}</NoticeCard>
      <ProblemList
        title={`Fix ${countOf(problems.length, 'problem')} before saving`}
        problems={problems}
        of={({ path, message }) => (path === null ? message : <a href={`#f.${path}`}>{message}</a>)}
        isAlert
      />
      {cards.length > 1 && <Tabs cards={cards} />}
      <section class="card fields" id="general">
        <h2>General</h2>
        <FormFields {...props} shape={open.shape} path="" />
        <TemplateNote {...props} />
      </section>
      {cards.map((part) => (
        <section class="card fields" id={`part-${part.name}`}>
          <h2>{part.label}</h2>
          <Part {...props} shape={open.shape} part={part} path="" isTitled />
        </section>
      ))}
      <Members {...props} />
      <Suggestions suggested={props.suggested} />
    </FormPage>
  )
}

/** Lists and sections are cards of their own; the fields of the entity itself share one. */
function isCard({ kind }: FormPart): boolean {
  return kind === 'list' || kind === 'section'
}

export function formTitle({ kind, name, isForOthers }: OpenForm): string {
  if (isForOthers) return `Propose a change of ${kind} ${name}`
  return name === '' ? `New ${kind}` : `Edit ${kind} ${name}`
}

interface FormPageProps extends PageProps {
  readonly open: OpenForm
  readonly class: string
}

/** A page that is sent as a form of an entity, with the state that the form began from. */
export function FormPage({ open, class: look, children, ...page }: FormPageProps) {
  const { kind, name, base, digest } = open
  const { links } = page.frame
  const action = name === '' ? links.newEntity(kind) : links.form({ kind, name })
  return (
    <PageLayout {...page} section={kind === 'pipeline' ? 'pipelines' : 'edit'}>
      <form class={look} method="post" action={action} autocomplete="off">
        <input type="hidden" name="basedOn" value={base.digest} />
        <input type="hidden" name="entity" value={digest ?? ''} />
        {children}
      </form>
    </PageLayout>
  )
}

function About({ frame, open: { kind, name }, number, untouched }: EntityFormViewProps) {
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

function Actions({ frame: { links }, open, message }: EntityFormViewProps) {
  const { kind, name, isForOthers } = open
  return (
    <>
      <MessageField message={message} />
      <ActionButton value="preview" label="Preview changes" look="primary" shortcut={SAVE} />
      {name !== '' && !isForOthers && (
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

function Members({ frame: { links }, open: { kind, name }, members }: EntityFormViewProps) {
  if (kind !== 'group' || name === '') return <></>
  return (
    <section class="card">
      <h2>Pipelines</h2>
      <p class="actions">
        {members.map((pipeline) => (
          <LinkButton href={links.form({ kind: 'pipeline', name: pipeline })} label={pipeline} />
        ))}
        <LinkButton
          href={links.newPipeline({ pipelineGroup: name })}
          label="Add a pipeline"
          icon="plus"
        />
      </p>
    </section>
  )
}
