import type { RestorePreview } from './restore-preview.ts'
import type { Obstacle } from './restore-scope.ts'
import { MAX_MESSAGE_LENGTH } from '../../core/revision.ts'
import { splitEntity } from '../../document/entities/entities.ts'
import { ChangesAboveText, toEntityHistory } from '../parts/change-list.tsx'
import type { View } from '../code/compare-query.ts'
import { lookOfStep, PlanCard } from '../edit/plan-card.tsx'
import { PlainDiff } from '../code/plain-diff.tsx'
import { LayoutChoice } from '../code/toolbar.tsx'
import { LineCounts } from '../history/history-table.tsx'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { ActionButton, LinkButton } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { FirstOf, ProblemList } from '../kit/lists.tsx'
import { NoticeCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { RevisionName } from '../parts/revision-name.tsx'
import type { Links, Query, RevisionStep } from '../kit/links.ts'
import { Moment } from '../kit/when.tsx'
import { restoreTexts } from './restore-text.ts'

export interface RestoreViewProps {
  readonly frame: PageFrame
  readonly preview: RestorePreview
  readonly reason: string
  readonly notice: string | null
  /** The layout of the diff. */
  readonly view: View
}

/** The most parts and entities that are listed one by one. */
const MAX_PARTS = 10

/** The preview of a restore, and its form. A restore removes nothing from the history. */
export function RestoreView(props: RestoreViewProps) {
  const { frame, preview, notice } = props
  const { obstacle, problems, isSame } = preview
  const { title, same, back } = restoreTexts(frame, preview)
  return (
    <PageLayout
      frame={frame}
      title={title}
      section="history"
      wide
      styles={['code.css', 'compare.css', 'edit.css']}
    >
      <Head {...props} title={title} />
      <NoticeCard role="alert">{notice}</NoticeCard>
      {obstacle !== null && <InTheWay {...props} obstacle={obstacle} />}
      <ProblemList
        title="The result is not valid today, so it cannot be restored"
        problems={problems.map(({ line, message }) => ({ line, message }))}
      />
      {isSame && (
        <section class="card">
          <p>{same}</p>
          <p class="actions">
            <BackLink href={back} label="Back" />
          </p>
        </section>
      )}
      {obstacle === null && !isSame && <Result {...props} />}
    </PageLayout>
  )
}

function Head({ frame, preview, title }: RestoreViewProps & { title: string }) {
  const { revision, current, comparison, isSame } = preview
  const about = (
    <>
      <RevisionName frame={frame} number={revision.number} /> by {revision.who},{' '}
      <Moment time={revision.time} />.{' '}
      {comparison !== null && !isSame && (
        <>
          {`Changes ${countOf(comparison.lines.added + comparison.lines.removed, 'line')} (`}
          <LineCounts lines={comparison.lines} />
          {') of '}
        </>
      )}
      {(comparison === null || isSame) && 'Current is '}
      <RevisionName frame={frame} number={current.number} />
      {comparison !== null && !isSame && ', which is current'}.
    </>
  )
  return <PageHead title={title} about={about} />
}

/** The comparison of the current document with the result. */
function Result(props: RestoreViewProps) {
  const { preview, view } = props
  const { comparison, plan } = preview
  if (comparison === null) return <></>
  const { frame } = props
  const { links, isAdministrator } = frame
  const { address } = restoreTexts(frame, preview)
  return (
    <>
      <RestoreForm {...props} />
      <section class="card">
        <h2>Changes</h2>
        {comparison.changes !== null && (
          <ChangesAboveText
            listed={comparison.changes.listed}
            linkOf={isAdministrator ? toEntityHistory(links) : () => null}
          />
        )}
      </section>
      {plan !== null && <PlanCard plan={plan} />}
      <div class="row restored-text">
        <LayoutChoice view={view} to={(each) => `${address(queryOf(each))}#diff`} />
        <FullComparison {...props} />
      </div>
      <PlainDiff comparison={comparison} view={view} />
    </>
  )
}

function queryOf(view: View): Query {
  return { view: view === 'fitting' ? null : view }
}

/** The same difference between revisions, without a limit; undoing has none. */
function FullComparison({ frame: { links }, preview }: RestoreViewProps) {
  const { scope, revision, current } = preview
  const range = { from: `r${current.number}`, to: `r${revision.number}` }
  if (scope.kind === 'change') return <></>
  const href =
    scope.kind === 'revision'
      ? links.compare(range.from, range.to)
      : links.compareEntity(scope.address, range)
  return <a href={href}>{`Compare ${range.from} with ${range.to}`}</a>
}

function InTheWay(props: RestoreViewProps & { obstacle: Obstacle }) {
  const { frame, preview, obstacle } = props
  const { links } = frame
  const { back, refusal } = restoreTexts(frame, preview)
  return (
    <section class="card stale fields">
      <h2>{refusal}</h2>
      <p>{`${obstacle.reason}.`}</p>
      {obstacle.contested.length > 0 && <ContestedParts {...props} obstacle={obstacle} />}
      <p class="actions">
        {obstacle.contested.length > 0 && <WaysOn {...props} obstacle={obstacle} />}
        {obstacle.revision !== null && (
          <ChangeLink links={links} scope={preview.scope} revision={obstacle.revision} />
        )}
        <BackLink href={back} label="Back" />
      </p>
    </section>
  )
}

/** The parts that an undo leaves alone. */
function ContestedParts({ obstacle: { contested } }: { readonly obstacle: Obstacle }) {
  const paths = [...new Set(contested.map(({ path }) => path))]
  return <FirstOf items={paths} most={MAX_PARTS} of={(path) => path} />
}

/** The ways to undo what can be undone. */
function WaysOn({
  frame,
  preview,
  obstacle: { older, hasRest },
}: RestoreViewProps & { obstacle: Obstacle }) {
  const { links, wordsOf } = frame
  const { revision } = preview
  const { address, edit } = restoreTexts(frame, preview)
  const before = revision.base === null ? null : `r${revision.base}`
  return (
    <>
      {hasRest && <LinkButton href={address({ rest: '1' })} label="Undo the rest" />}
      {edit !== null && (
        <LinkButton href={edit} label="Open as an edit with the conflicts" look="primary" />
      )}
      {before !== null &&
        older.slice(0, MAX_PARTS).flatMap((entity) => {
          const place = splitEntity(entity)
          return place.name === '' ? (
            []
          ) : (
            <LinkButton
              href={links.restoreEntity(place, before)}
              label={`Restore ${wordsOf(entity)} as of ${before}`}
            />
          )
        })}
    </>
  )
}

function BackLink(link: { href: string; label: string }) {
  return <LinkButton {...link} shortcut="u" />
}

interface ChangeLinkProps extends Pick<RestorePreview, 'scope'> {
  readonly links: Links
  readonly revision: RevisionStep
}

function ChangeLink({ links, scope, revision }: ChangeLinkProps) {
  const address = scope.kind === 'revision' ? null : scope.address
  const href = address === null ? links.change(revision) : links.entityChange(address, revision)
  return <LinkButton href={href} label={`Show what r${revision.number} changed`} />
}

function RestoreForm({ frame, preview, reason, view }: RestoreViewProps) {
  const { current, plan, isForOthers } = preview
  const { promise, address, button, back, edit } = restoreTexts(frame, preview)
  return (
    <form class="card stale fields" method="post" action={address(queryOf(view))}>
      <p>{promise}</p>
      <input type="hidden" name="basedOn" value={current.digest} />
      <label class="field">
        Reason
        <textarea id="reason" name="reason" rows={2} required maxlength={MAX_MESSAGE_LENGTH}>
          {`\n${reason}`}
        </textarea>
      </label>
      <div class="actions">
        {!isForOthers && (
          <button
            class={plan === null ? 'primary' : lookOfStep(plan, 'save')}
            disabled={plan === null}
          >
            {button}
          </button>
        )}
        {(plan !== null || isForOthers) && (
          <ActionButton
            value="propose"
            label="Propose"
            look={isForOthers || plan === null ? 'primary' : lookOfStep(plan, 'propose')}
          />
        )}
        {edit !== null && frame.isAdministrator && (
          <LinkButton href={edit} label="Edit first" shortcut="e" />
        )}
        <BackLink href={back} label="Cancel" />
      </div>
    </form>
  )
}
