import type { RevisionFilter } from '../../configuration/search/revision-filter.ts'
import { type HistoryPage, ROWS } from './history-page.ts'
import { type PageFrame, PageLayout } from '../frame/layout.tsx'
import type { Links } from '../frame/links.ts'
import { dateOf } from '../frame/when.tsx'
import { BY_TIME, Pager } from '../frame/pager.tsx'
import { renderProgress } from '../../configuration/changes/index-progress.ts'
import { DayBars } from './day-bars.tsx'
import { Filters } from './filters.tsx'
import { historyQueryOf } from './history-query.ts'
import { HistoryTable, chosenOf } from './history-table.tsx'

export interface HistoryViewProps {
  readonly frame: PageFrame
  readonly filter: RevisionFilter
  readonly page: HistoryPage
  readonly now: number
}

/** The list of revisions, with its filters. */
export function HistoryView({ frame, filter, page, now }: HistoryViewProps) {
  const { links } = frame
  return (
    <PageLayout
      frame={frame}
      title="Configuration history"
      section="history"
      styles={['history.css']}
    >
      <Head links={links} page={page} now={now} />
      <DayBars links={links} page={page} filter={filter} />
      <Filters links={links} page={page} filter={filter} />
      <div
        id="live"
        class="live"
        role="status"
        data-newest={page.current.commit}
        data-follow={links.newestRevision()}
      />
      {page.indexing !== null && (
        <p class="card" role="status">
          {`${renderProgress(page.indexing)}. The others are not searched yet.`}
        </p>
      )}
      {page.total === 1 && <FirstUse links={links} />}
      <form id="history" action={links.chooseComparison()}>
        {page.rows.length === 0 ? (
          <NothingFound links={links} total={page.total} />
        ) : (
          <HistoryTable links={links} page={page} />
        )}
        <Pages links={links} page={page} filter={filter} />
        {page.total > 1 && page.rows.length > 0 && <CompareBar page={page} />}
      </form>
    </PageLayout>
  )
}

function Head({ links, page, now }: { links: Links; page: HistoryPage; now: number }) {
  const { total, first, current } = page
  const at = new Date(now).toISOString().slice(0, 16)
  return (
    <div class="page-head">
      <div>
        <h1>Configuration history</h1>
        <p class="muted">
          {`${total} ${total === 1 ? 'revision' : 'revisions'} since ${dateOf(first.time)}. `}
          Current is <a href={links.snapshot(`r${current.number}`)}>{`r${current.number}`}</a>,{' '}
          <code title={current.digest}>{current.digest.slice(0, 8)}</code>.
        </p>
      </div>
      <form class="actions" action={links.at()}>
        <label for="at">Config in effect at (UTC)</label>
        <input id="at" type="datetime-local" name="time" value={at} required />
        <button>Open</button>
      </form>
    </div>
  )
}

function FirstUse({ links }: { links: Links }) {
  return (
    <section class="card">
      <h2>This is the first configuration</h2>
      <p>
        Every valid configuration becomes a revision here: saved on the{' '}
        <a href={links.edit()}>Edit</a> page, sent by a program, changed in the file on disk, or
        pushed with git. Each row will say what changed, who did it and when, and any two can be
        compared.
      </p>
    </section>
  )
}

function NothingFound({ links, total }: { links: Links; total: number }) {
  return (
    <section class="card">
      <h2>No revision matches</h2>
      <p>
        {`None of the ${total} revisions is what the filter asks for. `}
        <a href={links.history()}>Show all of them</a>
      </p>
    </section>
  )
}

function Pages({
  links,
  page,
  filter,
}: {
  links: Links
  page: HistoryPage
  filter: RevisionFilter
}) {
  const { offset, matching, rows } = page
  return (
    <Pager
      pagination={{ offset, total: matching, pageSize: ROWS }}
      shown={rows.length}
      labels={BY_TIME}
      to={(start) => links.history(historyQueryOf(filter, start ?? 0))}
    />
  )
}

/** The chosen comparison, at the foot of the window. `enhance.js` keeps its text up to date. */
function CompareBar({ page }: { page: HistoryPage }) {
  const { a, b } = chosenOf(page)
  const between = page.rows.filter(({ revision }) => revision.number > a && revision.number <= b)
  const people = new Set(between.map(({ revision }) => revision.username)).size
  return (
    <div class="compare-bar">
      <p>
        <b id="chosen">{`r${a} → r${b}`}</b>{' '}
        <span id="chosen-text" class="muted" aria-live="polite">
          {`${b - a} ${b - a === 1 ? 'revision' : 'revisions'}`}
          {people > 0 && ` by ${people} ${people === 1 ? 'person' : 'people'}`}
        </span>
      </p>
      <p class="muted hint" aria-hidden="true">
        <kbd>j</kbd> <kbd>k</kbd> move, <kbd>a</kbd> <kbd>b</kbd> mark, <kbd>c</kbd> compare
      </p>
      <button class="primary">Compare</button>
    </div>
  )
}
