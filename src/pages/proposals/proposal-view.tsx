import type { Child } from 'hono/jsx'
import type { Objection } from '../../configuration/gate/rules/verdict.ts'
import type { Proposal } from '../../proposals/proposal.ts'
import { isSameName } from '../../core/name-key.ts'
import type { ProposalDetail } from '../../proposals/read-proposals.ts'
import type { DocumentComparison } from '../code/comparison.ts'
import { PlainDiff } from '../code/plain-diff.tsx'
import { ConflictSides } from '../edit/conflict-view.tsx'
import type { EditForm } from '../edit/edit-form.ts'
import { PlanCard } from '../edit/plan-card.tsx'
import { ActionButton, EnterButton, LinkButton, LinkChoice } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { type Fact, Facts } from '../kit/facts.tsx'
import { ActionForm, Field, ProblemAtField, refusedAs, SelectField } from '../kit/forms.tsx'
import { type OpenPageWithMessage, type PageFrame, PageLayout } from '../kit/layout.tsx'
import { FlashCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { Table } from '../kit/table.tsx'
import { Moment, When } from '../kit/when.tsx'
import { ChangesCard } from '../parts/change-list.tsx'
import { RevisionName } from '../parts/revision-name.tsx'
import type { FieldProblems } from '../runs/refusal.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import type { ConflictPlace } from '../work/edit-merge.ts'

/** The conflicts of a proposal with the current revision, and the choices as far as they were made. */
interface ShownConflicts {
  readonly current: NumberedRevision
  readonly places: readonly ConflictPlace[]
  readonly choices: EditForm['choices']
}

export interface ProposalViewProps extends OpenPageWithMessage {
  readonly detail: ProposalDetail
  readonly comparison: DocumentComparison
  /** The places that others have changed in another way since; null for none. */
  readonly conflicts: ShownConflicts | null
  /** The version that the newest one is compared with; null for what merging changes. */
  readonly since: number | null
  /** The number of the revision that the merge made; null where there is none. */
  readonly mergedAs: number | null
  /** A field of a decision that was refused. */
  readonly typed: (field: string) => string
  /** Why its fields were refused. */
  readonly problems: FieldProblems
}

/** A proposal with its changes, what is missing, what was said, and the forms to decide about it. */
export function ProposalView(props: ProposalViewProps) {
  const { frame, detail, comparison, flash } = props
  const { proposal, plan } = detail
  const { number, title, state } = proposal
  return (
    <PageLayout
      frame={frame}
      title={`Proposal ${number}`}
      wide
      styles={['code.css', 'compare.css', 'edit.css']}
    >
      <PageHead
        trail={[['Proposals', frame.links.proposals()]]}
        title={title}
        name={
          <>
            {`proposal ${number} `}
            <span class={`badge ${STATE_LOOKS[state]}`}>{STATES[state]}</span>
          </>
        }
        about={['', title].includes(proposal.message) ? undefined : proposal.message}
        actions={state === 'open' && <LinkButton href={`#${DECISIONS}`} label="Review" />}
      />
      {flash !== null && <FlashCard flash={flash} />}
      <section class="card">
        <Facts facts={factsOf(props)} />
      </section>
      <Conflicts {...props} />
      <ChangesCard changes={comparison.changes} />
      {plan !== null && <PlanCard plan={plan} />}
      <PlainDiff comparison={comparison} />
      <Reviews {...props} />
      <Comments {...props} />
      {state === 'open' ? <Decisions {...props} /> : <Unsent {...props} />}
    </PageLayout>
  )
}

/** Where the forms to decide are. */
const DECISIONS = 'decide'

const STATES = { open: 'open', merged: 'merged', closed: 'closed' } as const
const STATE_LOOKS = { open: 'added', merged: 'renamed', closed: '' } as const

function factsOf({ frame, detail, since, mergedAs, now }: ProposalViewProps): readonly Fact[] {
  const { proposal, verdict, conflicts, problems } = detail
  const { author, contributors, when, held, merged, closed, versions } = proposal
  const others = contributors.filter((name) => name !== author.username)
  return [
    ['By', author.username],
    others.length === 0 ? null : ['Changed by', others.join(', ')],
    ['Opened', <When time={proposal.opened} now={now} />],
    ['Version', versionsOf(detail, now)],
    when === null
      ? null
      : ['Merges', when === 'approved' ? 'as soon as it can' : <Moment time={when} />],
    held === null ? null : ['Held up', held],
    verdict === null ? null : ['Needs', needsOf(verdict.objections)],
    conflicts.length === 0
      ? null
      : ['Conflicts', listed(conflicts.map(({ path }) => `${path} has changed since`))],
    problems.length === 0 ? null : ['No longer valid', listed(problems)],
    merged === null
      ? null
      : [
          'Merged',
          <>
            by {merged.by.username}, <When time={merged.time} now={now} />
            {mergedAs !== null && (
              <>
                {', as '}
                <RevisionName frame={frame} number={mergedAs} />
              </>
            )}
          </>,
        ],
    closed === null ? null : ['Closed', `by ${closed.by.username}. ${closed.text}`.trimEnd()],
    versions.length === 1 ? null : ['Compared with', comparedWith(frame, detail, since)],
  ]
}

/** The changes of merging, and those since each version: the one seen last is said so. */
function comparedWith(
  { links, username }: PageFrame,
  { proposal }: ProposalDetail,
  since: number | null,
): Child {
  const { number, versions, newest } = proposal
  const seen = lastSeen(proposal, username)
  return (
    <LinkChoice
      label="Compared with"
      options={[
        ['The current configuration', links.proposal(number), since === null],
        ...versions
          .filter(({ version }) => version !== newest.version)
          .map(
            ({ version }) =>
              [
                `Version ${version}${version === seen ? ', which you saw last' : ''}`,
                links.proposal(number, { since: `${version}` }),
                since === version,
              ] as const,
          ),
      ]}
    />
  )
}

/** The newest version that a reader has written, reviewed or commented on; null for none. */
function lastSeen(
  { versions, reviews, comments }: Proposal,
  username: string | null,
): number | null {
  const all = [...versions, ...reviews, ...comments]
  const own = all.filter(({ by }) => by.username === username)
  return own.length === 0 ? null : Math.max(...own.map(({ version }) => version))
}

function versionsOf({ proposal: { newest } }: ProposalDetail, now: number): Child {
  return (
    <>
      {newest.version} by {newest.by.username}, <When time={newest.time} now={now} />
    </>
  )
}

function needsOf(objections: readonly Objection[]): Child {
  if (objections.length === 0) return 'Nothing more. It can be merged.'
  return listed(objections.map(({ sentence }) => sentence))
}

function listed(lines: readonly string[]): Child {
  return (
    <ul>
      {lines.map((line) => (
        <li>{line}</li>
      ))}
    </ul>
  )
}

/** A choice for each place, by entity. Solving them makes the next version. */
function Conflicts({ frame, detail: { proposal }, conflicts }: ProposalViewProps) {
  if (conflicts === null) return null
  const { current, places, choices } = conflicts
  const { number, newest, author } = proposal
  const { links, username } = frame
  const isOwn = isSameName(author.username, username)
  return (
    <form class="card conflict" method="post" action={links.proposal(number)}>
      <input type="hidden" name="version" value={String(newest.version)} />
      <input type="hidden" name="against" value={current.digest} />
      <section>
        <h2>{`${countOf(places.length, 'conflict')} with r${current.number}`}</h2>
      </section>
      {places.map((place, n) => (
        <ConflictSides
          place={place}
          n={n}
          current={current}
          choice={choices[n] ?? null}
          isMissing={choices.length > 0 && (choices[n] ?? null) === null}
          {...(isOwn ? {} : { author: author.username })}
        />
      ))}
      <section class="row conflict-end">
        <span class="muted">The result is the next version, which needs new approvals.</span>
        <ActionButton value="solve" label="Update proposal" look="primary" />
      </section>
    </form>
  )
}

const REVIEW_COLUMNS = [{ label: 'By', isHead: true }, 'Review', 'Version', 'When', 'Comment']

function Reviews({ detail: { reviews, proposal }, now }: ProposalViewProps) {
  if (reviews.length === 0) return null
  const rows = reviews.map(({ event, holds }) => ({
    cells: [
      event.by.username,
      wordOf(event.type, holds || proposal.state === 'closed'),
      event.version,
      <When time={event.time} now={now} />,
      event.text,
    ],
  }))
  return (
    <section>
      <h2>Reviews</h2>
      <Table label="Reviews" columns={REVIEW_COLUMNS} rows={rows} />
    </section>
  )
}

function wordOf(type: 'approve' | 'reject', holds: boolean): string {
  if (type === 'reject') return 'Rejected'
  return holds ? 'Approved' : 'Approved an earlier version'
}

function Comments({ detail: { proposal }, now }: ProposalViewProps) {
  const { comments } = proposal
  if (comments.length === 0) return null
  return (
    <section class="card">
      <h2>Comments</h2>
      {comments.map(({ by, time, text, entity, line }) => (
        <p>
          <b>{by.username}</b> <When time={time} now={now} />
          {` ${placeOfComment(entity, line)}`.trimEnd()}: {text}
        </p>
      ))}
    </section>
  )
}

/** `on pipeline shop, line 12`; empty for the whole proposal. */
function placeOfComment(entity: string | undefined, line: number | undefined): string {
  const places = [entity?.replace('/', ' '), line === undefined ? undefined : `line ${line}`]
  const named = places.filter((each) => each !== undefined)
  return named.length === 0 ? '' : `on ${named.join(', ')}`
}

/** A text that came after the proposal was merged or closed. */
function Unsent({ typed }: ProposalViewProps) {
  if (typed('text') === '') return null
  return (
    <section class="card">
      <h2>Your text</h2>
      <p>{typed('text')}</p>
    </section>
  )
}

/** One form: its text goes with whichever button is pressed. */
function Decisions({ frame, detail, typed, problems }: ProposalViewProps) {
  const { links, username, wordsOf } = frame
  const { proposal, verdict, approval } = detail
  const isReviewed = proposal.reviews.some(({ by }) => by.username === username)
  const canMerge = verdict?.kind === 'allowed'
  return (
    <ActionForm
      action={links.proposal(proposal.number)}
      id={DECISIONS}
      title="Decide"
      about="An approval covers the exact text of the changed entities."
      buttons={
        <>
          {canMerge && <ActionButton value="merge" label="Merge" look="primary" />}
          {approval !== null && <ActionButton value="approve" label="Approve" />}
          {approval !== null && <ActionButton value="reject" label="Reject" />}
          {isReviewed && <ActionButton value="take-back" label="Withdraw my review" />}
          <ActionButton value="comment" label="Comment" />
          <ActionButton value="close" label="Close" look="danger" />
        </>
      }
    >
      <EnterButton value="comment" />
      <input type="hidden" name="version" value={String(proposal.newest.version)} />
      <label class="field">
        Comment
        <textarea
          name="text"
          rows={3}
          maxlength={4000}
          {...refusedAs('text', problems.get('text'))}
        >
          {typed('text')}
        </textarea>
        <ProblemAtField name="text" problem={problems.get('text')} />
      </label>
      <SelectField
        label="Comment on"
        name="entity"
        options={[
          ['', 'The whole proposal'],
          ...proposal.newest.touches.map(({ entity }) => [entity, wordsOf(entity)] as const),
        ]}
        chosen={typed('entity')}
      />
      <Field
        label="Line"
        type="number"
        name="line"
        min={1}
        value={typed('line')}
        problem={problems.get('line')}
      />
    </ActionForm>
  )
}
