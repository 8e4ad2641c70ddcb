import type { RestorePreview } from '../../../services/pages/restore-preview.ts'
import { LONGEST_REASON } from '../../restore-routes.ts'
import { ChangeList, toEntityHistory } from '../change-list.tsx'
import { PlainDiff } from '../compare/plain-diff.tsx'
import { Lines } from '../history/history-table.tsx'
import { type Chrome, Page } from '../layout.tsx'
import { When } from '../when.tsx'

export interface RestoreViewProps {
  readonly chrome: Chrome
  readonly preview: RestorePreview
  readonly reason: string
  readonly notice: string | null
  readonly now: number
}

/** What a restore would change, and the form that does it. Nothing of the history goes away. */
export function RestoreView(props: RestoreViewProps) {
  const { chrome, preview, notice, now } = props
  const { links } = chrome
  const { revision, current, problems, comparison } = preview
  const name = `r${revision.number}`
  const isSame = revision.digest === current.digest
  return (
    <Page
      chrome={chrome}
      title={`Restore ${name}`}
      section="history"
      wide
      styles={['code.css', 'compare.css', 'edit.css']}
    >
      <div class="page-head">
        <div>
          <h1>{`Restore ${name}`}</h1>
          <p class="muted">
            From <a href={links.snapshot('current')}>{`r${current.number}`}</a>, which is current,
            to <a href={links.snapshot(name)}>{name}</a> by {revision.who},{' '}
            <When time={revision.time} now={now} />: <Lines lines={comparison.lines} /> lines.
          </p>
        </div>
      </div>
      {notice !== null && (
        <p class="card stale" role="alert">
          {notice}
        </p>
      )}
      {problems.length > 0 && <Problems name={name} problems={problems} />}
      {isSame ? (
        <p class="card">{`${name} is what is current already, so there is nothing to restore.`}</p>
      ) : (
        <>
          <RestoreForm {...props} />
          <section class="card">
            <h2>What changes</h2>
            <ChangeList
              changes={comparison.changes ?? []}
              linkOf={toEntityHistory(links)}
              most={60}
              more={(left) => `and ${left} more, in the text below`}
            />
          </section>
          <PlainDiff comparison={comparison} />
        </>
      )}
    </Page>
  )
}

function Problems({ name, problems }: { name: string; problems: RestorePreview['problems'] }) {
  return (
    <section class="card problems">
      <h2>{`${name} is not valid today, so it cannot be restored`}</h2>
      <ul>
        {problems.slice(0, 50).map(({ line, message }) => (
          <li>{line === undefined ? message : `Line ${line}: ${message}`}</li>
        ))}
      </ul>
    </section>
  )
}

function RestoreForm({ chrome: { links }, preview, reason }: RestoreViewProps) {
  const { revision, current, problems } = preview
  const name = `r${revision.number}`
  return (
    <form class="card stale restore" method="post" action={links.restore(name)}>
      <p>
        {`The text of ${name} becomes r${current.number + 1}. What came since stays in the history.`}
      </p>
      <input type="hidden" name="basedOn" value={current.digest} />
      <label for="reason">Reason</label>
      <div class="actions">
        <input
          id="reason"
          name="reason"
          value={reason}
          required
          maxlength={LONGEST_REASON}
          size={60}
          autocomplete="off"
        />
        <button class="primary" disabled={problems.length > 0}>
          {`Restore ${name}`}
        </button>
        <a class="button" href={links.snapshot(name)}>
          Cancel
        </a>
      </div>
    </form>
  )
}
