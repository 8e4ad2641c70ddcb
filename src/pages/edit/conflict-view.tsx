import type { DocumentChange } from '../../document/entities/change.ts'
import { plural } from '../../lib/plural.ts'
import type { EditConflict } from './edit-conflict.ts'
import type { Choice } from '../../document/merge/merge-conflict.ts'
import type { EditDraft } from './edit-draft.ts'
import type { EditForm } from './edit-form.ts'
import type { ConflictingSide, ConflictPlace } from '../work/edit-merge.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import { ChangeItems, ChangeList } from '../parts/change-list.tsx'
import { ActionButton, EnterButton, LinkButton, SAVE } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { moreOf, Separated } from '../kit/lists.tsx'
import { NEWS } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { DraftFields, editTitleOf, MessageField, TypedText } from './edit-view.tsx'
import { type EditBase, StartedFrom, whatCameMeanwhile } from './started-from.tsx'

/** The most changes of a side that are listed. */
const MAX_CHANGES = 6
/** The most that a choice reverts: somebody loses these. */
const MAX_REVERTED = 100

export interface ConflictViewProps {
  readonly frame: PageFrame
  readonly draft: EditDraft
  readonly message: string
  readonly conflict: EditConflict
  readonly base: EditBase
  readonly current: NumberedRevision
  /** The choice for each place, as far as they were made. */
  readonly choices: EditForm['choices']
  /** Whether a save was tried before every place had a choice. */
  readonly isIncomplete: boolean
}

/**
 * The changes that others have saved, beside the typed text: a choice for each place, so that
 * nothing is lost.
 */
export function ConflictView(props: ConflictViewProps) {
  const { frame, draft, conflict, base, current, choices, isIncomplete } = props
  const title = editTitleOf(frame, draft.entity)
  return (
    <PageLayout frame={frame} title={title} section="edit" wide styles={['edit.css']}>
      <form class="edit" method="post" action={frame.links.edit()} enctype="multipart/form-data">
        <DraftFields basedOn={draft.basedOn} entity={draft.entity} />
        <input type="hidden" name="against" value={current.digest} />
        <EnterButton value="preview" />
        <PageHead title={title} about={<StartedFrom frame={frame} base={base} />} />
        <Explanation {...props} />
        <div class="card conflict">
          {conflict.places.map((place, n) => (
            <ConflictSides
              place={place}
              n={n}
              current={current}
              choice={choices[n] ?? null}
              isMissing={isIncomplete && (choices[n] ?? null) === null}
            />
          ))}
          {conflict.merged.length > 0 && (
            <section>
              <h2>Merged automatically</h2>
              <ChangeList changes={conflict.merged} linkOf={() => null} most={50} more={moreOf} />
            </section>
          )}
          <div class="conflict-end bottom-bar">
            <span class="muted">The result is validated before it is saved.</span>
            <span class="actions">
              <MessageField message={props.message} />
              <LinkButton href={frame.links.edit()} label={`Start again from r${current.number}`} />
              <ActionButton
                value="edit"
                label={draft.entity === null ? 'Back to my text' : 'Continue as XML'}
              />
              <ActionButton value="preview" label="Preview changes" />
              <ActionButton value="save" label="Save merged" look="primary" shortcut={SAVE} />
            </span>
          </div>
        </div>
        <TypedText typed={draft.typed} />
      </form>
    </PageLayout>
  )
}

function Explanation({ conflict, base, current, choices, isIncomplete }: ConflictViewProps) {
  const { places, merged, others } = conflict
  const missing = places.flatMap((_, n) => ((choices[n] ?? null) === null ? [n] : []))
  const needed = `${countOf(places.length, 'conflict')} ${plural(places.length, 'needs', 'need')}`
  const clean = merged.length
  const own = places.reduce((sum, { mine }) => sum + Math.max(1, mine.changes.length), clean)
  return (
    <div class="card stale" {...NEWS}>
      <p>
        <b>{whatCameMeanwhile(base, { current, savers: others })}</b>{' '}
        {clean > 0 && `${clean} of your ${own} changes merged cleanly. `}
        {`${needed} a choice.`}
      </p>
      {isIncomplete && (
        <p>
          {'Nothing is saved yet. Choose a side: '}
          <Separated
            items={missing}
            of={(n) => <a href={`#conflict-${n}`}>{`conflict ${n + 1}`}</a>}
          />
          .
        </p>
      )}
    </div>
  )
}

interface PlaceProps {
  readonly place: ConflictPlace
  readonly n: number
  readonly current: NumberedRevision
  readonly choice: Choice | null
  /** Whether a choice was needed and not made. */
  readonly isMissing: boolean
  /** The author of the other side; absent where that is the reader. */
  readonly author?: string
}

/** The sides of one conflict, with a choice between them. */
export function ConflictSides({ place, n, current, choice, isMissing, author }: PlaceProps) {
  const theirs = `${current.who}’s (r${current.number})`
  const ours = author === undefined ? 'mine' : `${author}’s`
  const sides = [
    {
      value: 'ours',
      label: `Keep ${ours}`,
      side: place.mine,
      other: place.theirs,
      reverts: theirs,
    },
    {
      value: 'theirs',
      label: `Take ${theirs}`,
      side: place.theirs,
      other: place.mine,
      reverts: ours,
    },
  ] as const
  return (
    <fieldset
      id={`conflict-${n}`}
      class={isMissing ? 'unanswered' : undefined}
      aria-describedby={isMissing ? `missing-${n}` : undefined}
    >
      <legend>{titleOf(place)}</legend>
      {isMissing && (
        <p id={`missing-${n}`} class="missing">
          Choose one side.
        </p>
      )}
      <div class="sides">
        {sides.map(({ value, label, side, other, reverts }) => (
          <div class="side box">
            <label class="check">
              <input type="radio" name={`choice-${n}`} value={value} checked={choice === value} />
              <b>{label}</b>
            </label>
            <Side side={side} />
            <Reverted changes={other.changes} whose={reverts} />
          </div>
        ))}
      </div>
      {place.canBeBoth && (
        <label class="check">
          <input type="radio" name={`choice-${n}`} value="both" checked={choice === 'both'} />
          <span>
            <b>Keep both</b>, {theirs} first
          </span>
        </label>
      )}
    </fieldset>
  )
}

/** The entity and the place within it in words, if both sides are about the same one; the path otherwise. */
function titleOf({ path, mine, theirs }: ConflictPlace): string {
  const changes = [...mine.changes, ...theirs.changes]
  const [change] = changes
  if (!change || changes.some((each) => each.path.join() !== change.path.join())) return path
  const kind = change.entity.split('/', 1)[0] ?? ''
  const entity = kind === change.label ? kind : `${kind} ${change.label}`
  return [entity, ...change.path].join(' › ')
}

/** The changes that the other side loses by a choice. */
function Reverted({ changes, whose }: { changes: readonly DocumentChange[]; whose: string }) {
  if (changes.length === 0) return <></>
  return (
    <div class="changes reverted">
      <p class="muted">{`Reverts ${whose}:`}</p>
      <ChangeItems changes={changes.slice(0, MAX_REVERTED)} />
      {changes.length > MAX_REVERTED && (
        <p class="muted">{moreOf(changes.length - MAX_REVERTED)}</p>
      )}
    </div>
  )
}

function Side({ side: { changes, before, after } }: { side: ConflictingSide }) {
  return (
    <>
      {changes.length > 0 && (
        <div class="changes">
          <ChangeItems changes={changes.slice(0, MAX_CHANGES)} />
        </div>
      )}
      <pre class="code">
        {before !== '' && <del>{before}</del>}
        {after !== '' && <ins>{after}</ins>}
      </pre>
    </>
  )
}
