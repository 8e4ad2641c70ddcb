import type { Digest } from '../../core/digest.ts'
import type { DraftProblem } from '../work/draft-examination.ts'
import { EntityName } from '../work/edit-scope.ts'
import { MAX_MESSAGE_LENGTH } from '../../core/revision.ts'
import type { Links } from '../kit/links.ts'
import { EXACT_SCHEMA_VERSION } from '../../document/structure/structure.ts'
import { OutlineView } from '../snapshot/outline.tsx'
import type { ShownPlace } from '../work/shown-outline.ts'
import { vocabularyName } from '../assets/assets.ts'
import { ActionButton, SAVE } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { ProblemList, problemText } from '../kit/lists.tsx'
import { NoticeCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { LaterPart } from '../frame/page-response.ts'
import { type EditBase, StartedFrom } from './started-from.tsx'

export interface EditViewProps {
  readonly frame: PageFrame
  /** Permits the style sheet that the editor creates. */
  readonly nonce: string
  readonly base: EditBase
  readonly entity: EntityName | null
  /** The reason in the words of the author; may be empty. */
  readonly message: string
  /** The line of the document at which the text starts. */
  readonly firstLine: number
  readonly problems: readonly DraftProblem[]
  readonly notice: string | null
  /** Whether the file on disk holds an edit that is not valid, which a save replaces. */
  readonly hasInvalidEdit: boolean
  /** Whether the text is that edit. */
  readonly isRepair: boolean
  /** The places of the text; null for an entity, or while the text cannot be read. */
  readonly outline: readonly ShownPlace[] | null
}

/** The XML of the whole configuration, or of one entity, in a form that works without a script. */
export function EditView(props: EditViewProps) {
  const { frame, base, entity, problems, notice } = props
  const title = editTitleOf(frame, entity)
  return (
    <PageLayout
      frame={frame}
      title={title}
      section="edit"
      concerns={['repository', 'live-file', 'commit']}
      says={props.hasInvalidEdit ? ['live-file'] : []}
      wide
      styles={['edit.css']}
      scripts={['editor.js']}
    >
      <form
        class="edit"
        method="post"
        action={frame.links.edit()}
        enctype="multipart/form-data"
        data-check={frame.links.checkEdit()}
        data-alive={frame.links.alive()}
      >
        <DraftFields basedOn={base.digest} entity={entity} />
        <PageHead title={title} about={<About {...props} />} actions={<Actions {...props} />} />
        <NoticeCard>{notice}</NoticeCard>
        {props.hasInvalidEdit && !props.isRepair && <InvalidEditCard links={frame.links} />}
        <div id="draft" class="draft card stale" role="status" />
        <div class="snapshot editing">
          <div>
            <Surface {...props} />
          </div>
          <EditOutline {...props} />
        </div>
        <div id="problems" aria-live="polite">
          <ProblemList
            title={`Fix ${countOf(problems.length, 'problem')} before saving`}
            problems={problems}
            of={(problem) => <ProblemLine problem={problem} />}
            isAlert
          />
        </div>
      </form>
    </PageLayout>
  )
}

/** Says before a save that it replaces an edit of somebody else. */
export function InvalidEditCard({ links }: { links: Links }) {
  return (
    <p class="card bad" role="status">
      <b>The file on disk is not valid.</b> Saving here renames that file and writes the saved text
      in its place. <a href={links.liveFile()}>See the file</a>
    </p>
  )
}

/** The title of the pages of an edit: of one entity, or of the whole configuration. */
export function editTitleOf({ wordsOf }: PageFrame, entity: EntityName | null): string {
  return `Edit ${entity === null ? 'configuration' : wordsOf(`${entity.kind}/${entity.name}`)}`
}

/** The fields that every form of a draft has besides the text. */
export function DraftFields({ basedOn, entity }: { basedOn: Digest; entity: EntityName | null }) {
  return (
    <>
      <input type="hidden" name="basedOn" value={basedOn} />
      <input
        type="hidden"
        name="entity"
        value={entity === null ? '' : `${entity.kind}/${entity.name}`}
      />
    </>
  )
}

function About({ frame, base, entity }: EditViewProps) {
  return (
    <>
      <StartedFrom frame={frame} base={base} />
      <span class="with-script"> Draft kept in this tab.</span>
      {entity !== null && frame.isAdministrator && (
        <>
          {' '}
          <a href={frame.links.edit()}>Edit the whole configuration</a>
        </>
      )}
    </>
  )
}

function Actions({ message }: EditViewProps) {
  const preview = (
    <>
      Preview changes
      <span class="count badge" data-count="" />
    </>
  )
  return (
    <>
      <MessageField message={message} />
      <ActionButton value="preview" label={preview} />
      <button name="action" value="check" class="without-script">
        Check
      </button>
      <ActionButton value="save" label="Save" look="primary" shortcut={SAVE} />
    </>
  )
}

/** The names of the elements that contain an entity, outermost first. */
const WITHIN: Readonly<Record<EntityName['kind'], string>> = {
  pipeline: 'cruise pipelines',
  group: 'cruise',
  template: 'cruise templates',
  environment: 'cruise environments',
  agent: 'cruise agents',
  role: 'cruise server security roles',
}

/** Stands behind the text, so that the text is reached first. Without a script it opens one entity. */
function EditOutline({ frame: { links }, outline }: EditViewProps) {
  const linkOf = (...places: readonly ShownPlace[]) => {
    const entity = places.find((place) => EntityName.safeParse(place).success)
    return links.edit(entity && { entity: `${entity.kind}/${entity.name}` })
  }
  return <OutlineView outline={outline} linkOf={linkOf} />
}

/** Why the configuration changes, in a sentence. */
export function MessageField({ message }: { message: string }) {
  return (
    <input
      class="message"
      name="message"
      value={message}
      maxlength={MAX_MESSAGE_LENGTH}
      placeholder="Why? (optional)"
      aria-label="Reason for the change"
      autocomplete="off"
    />
  )
}

/** The text comes later. A line break comes before it, because HTML drops a leading one in a textarea. */
function Surface({ frame, nonce, base, entity, firstLine, problems }: EditViewProps) {
  const { links, assets } = frame
  const schema = base.schemaVersion === EXACT_SCHEMA_VERSION ? 'exact' : 'others'
  return (
    <>
      <label id="editor-label" class="visually-hidden" for="xml">
        Configuration XML
      </label>
      <p id="editor-help" class="visually-hidden">
        Tab indents. Escape and then Tab leaves the editor. Control and Space completes, Control and
        F finds, Control and S saves.
      </p>
      <textarea
        id="xml"
        class="code"
        name="xml"
        rows={30}
        wrap="off"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        aria-describedby="editor-help"
        aria-invalid={problems.length > 0 ? 'true' : undefined}
        data-editor=""
        data-nonce={nonce}
        data-first-line={String(firstLine)}
        data-vocabulary={links.asset(assets.addressOf(vocabularyName(schema)))}
        data-within={entity === null ? '' : WITHIN[entity.kind]}
      >
        {'\n'}
        <LaterPart />
      </textarea>
    </>
  )
}

function ProblemLine({ problem }: { problem: DraftProblem }) {
  const { typedLine, line, message } = problem
  const text = problemText({ line, message })
  if (typedLine === null) return <>{text}</>
  return (
    <a href="#xml" data-line={String(typedLine)}>
      {text}
    </a>
  )
}

/** The typed text as a hidden field, so that no step of the form loses it. */
export function TypedText({ typed }: { typed: string }) {
  return (
    <details class="typed">
      <summary>Your text</summary>
      <label class="visually-hidden" for="xml">
        Your text
      </label>
      <textarea id="xml" class="code" name="xml" rows={20} wrap="off" spellcheck={false}>
        {`\n${typed}`}
      </textarea>
    </details>
  )
}
