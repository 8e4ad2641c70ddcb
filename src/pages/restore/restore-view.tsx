import type { RestorePreview } from './restore-preview.ts'
import type { Obstacle } from './restore-scope.ts'
import { LONGEST_MESSAGE } from '../../core/revision.ts'
import { ChangeList, toEntityHistory } from '../frame/change-list.tsx'
import { PlainDiff } from '../code/plain-diff.tsx'
import { LineCounts } from '../history/history-table.tsx'
import { type PageFrame, PageLayout } from '../frame/layout.tsx'
import type { Links } from '../frame/links.ts'
import { Moment } from '../frame/when.tsx'
import { restoreTexts } from './restore-text.ts'

export interface RestoreViewProps {
  readonly frame: PageFrame
  readonly preview: RestorePreview
  readonly reason: string
  readonly notice: string | null
}

/** The preview of a restore, and its form. A restore removes nothing from the history. */
export function RestoreView(props: RestoreViewProps) {
  const { frame, preview, notice } = props
  const { links } = frame
  const { obstacle, problems, isSame } = preview
  const { title } = restoreTexts(links, preview)
  return (
    <PageLayout
      frame={frame}
      title={title}
      section="history"
      wide
      styles={['code.css', 'compare.css', 'edit.css']}
    >
      <Head {...props} title={title} />
      {notice !== null && (
        <p class="card stale" role="alert">
          {notice}
        </p>
      )}
      {obstacle !== null && <InTheWay {...props} obstacle={obstacle} />}
      {problems.length > 0 && <Problems problems={problems} />}
      {isSame && <p class="card">It is so already: there is nothing to restore.</p>}
      {obstacle === null && !isSame && <Result {...props} />}
    </PageLayout>
  )
}

function Head({ frame: { links }, preview, title }: RestoreViewProps & { title: string }) {
  const { revision, current, comparison } = preview
  const name = `r${revision.number}`
  return (
    <div class="page-head">
      <div>
        <h1>{title}</h1>
        <p class="muted">
          <a href={links.snapshot(name)}>{name}</a> is by {revision.who},{' '}
          <Moment time={revision.time} />.{' '}
          <a href={links.snapshot('current')}>{`r${current.number}`}</a> is current
          {comparison !== null && (
            <>
              ; from it to the result: <LineCounts lines={comparison.lines} /> lines
            </>
          )}
          .
        </p>
      </div>
    </div>
  )
}

/** The comparison of the current document with the result. */
function Result(props: RestoreViewProps) {
  const { comparison } = props.preview
  if (comparison === null) return <></>
  return (
    <>
      <RestoreForm {...props} />
      <section class="card">
        <h2>What changes</h2>
        <ChangeList
          changes={comparison.changes ?? []}
          linkOf={toEntityHistory(props.frame.links)}
          most={60}
          more={(left) => `and ${left} more, in the text below`}
        />
      </section>
      <PlainDiff comparison={comparison} />
    </>
  )
}

function InTheWay({
  frame: { links },
  preview,
  obstacle,
}: RestoreViewProps & { obstacle: Obstacle }) {
  const { back } = restoreTexts(links, preview)
  return (
    <section class="card stale">
      <h2>This cannot be done</h2>
      <p>{`${obstacle.reason}.`}</p>
      <p class="actions">
        {obstacle.revision !== null && <ChangeLink links={links} {...obstacle.revision} />}
        <a class="button" href={back}>
          Back
        </a>
      </p>
    </section>
  )
}

function ChangeLink({ links, number }: { links: Links; number: number }) {
  const href = links.compare(`r${Math.max(1, number - 1)}`, `r${number}`)
  return <a class="button" href={href}>{`Show what r${number} changed`}</a>
}

function Problems({ problems }: { problems: RestorePreview['problems'] }) {
  return (
    <section class="card problems">
      <h2>The result is not valid today, so it cannot be restored</h2>
      <ul>
        {problems.slice(0, 50).map(({ line, message }) => (
          <li>{line === undefined ? message : `Line ${line}: ${message}`}</li>
        ))}
      </ul>
    </section>
  )
}

function RestoreForm({ frame: { links }, preview, reason }: RestoreViewProps) {
  const { current, problems } = preview
  const { promise, action, button, back, edit } = restoreTexts(links, preview)
  return (
    <form class="card stale restore" method="post" action={action}>
      <p>{promise}</p>
      <input type="hidden" name="basedOn" value={current.digest} />
      <label for="reason">Reason</label>
      <div class="actions">
        <input
          id="reason"
          name="reason"
          value={reason}
          required
          maxlength={LONGEST_MESSAGE}
          size={60}
          autocomplete="off"
        />
        <button class="primary" disabled={problems.length > 0}>
          {button}
        </button>
        {edit !== null && (
          <a class="button" href={edit}>
            Edit it first
          </a>
        )}
        <a class="button" href={back}>
          Cancel
        </a>
      </div>
    </form>
  )
}
