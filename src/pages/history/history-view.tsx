import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import type { Html } from '../frame/page-response.ts'
import {
  type ChosenRevisions,
  type HistoryPage,
  type HistoryQuery,
  type HistoryRow,
  ROWS,
} from './history-page.ts'
import { chosenText } from './chosen-text.ts'
import type { ListedChanges } from '../parts/change-groups.ts'
import { type OpenPage, type PageFrame, PageLayout } from '../kit/layout.tsx'
import { countOf } from '../kit/words/count.ts'
import { EmptyCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { dateOf, Day } from '../kit/when.tsx'
import { AdministeredParts } from '../parts/administered-parts.tsx'
import { IndexingNotice } from '../parts/indexing-notice.tsx'
import { DayBars } from './day-bars.tsx'
import { FirstUse } from '../new-pipeline/first-use.tsx'
import { Filters } from './filters.tsx'
import { historyQueryOf } from './history-query.ts'
import { chosenOf, HistoryTable, Pick } from './history-table.tsx'

export interface HistoryViewProps extends OpenPage {
  readonly query: HistoryQuery
  readonly page: HistoryPage
  /** The address that the caller reaches the service by, without a path. */
  readonly origin: string
  /** The name of the configuration in its repository. */
  readonly fileName: string
}

interface OwnHistoryProps {
  readonly frame: PageFrame
  readonly parts: readonly EntityPlace[]
}

/** The histories of the parts that the caller administers, in place of that of the whole configuration. */
export function OwnHistoryView({ frame, parts }: OwnHistoryProps) {
  return (
    <PageLayout frame={frame} title="History" section="history">
      <PageHead title="History" about="Each part that you administer has a history of its own." />
      <section class="card">
        <AdministeredParts links={frame.links} parts={parts} />
      </section>
    </PageLayout>
  )
}

/** The history: what there is of it, its filters, and a {@link HistoryList}. */
export function HistoryView({ list, ...props }: HistoryViewProps & { readonly list: Html }) {
  const { frame, query, page, origin, fileName } = props
  const { links } = frame
  return (
    <PageLayout
      frame={frame}
      title="Configuration history"
      section="history"
      styles={['history.css']}
      description={`${countOf(page.total, 'revision')} since ${dateOf(page.first.time)}`}
      skipTo={{ id: 'history', label: 'Skip to the revisions' }}
      feed={links.feed(historyQueryOf(query.filter))}
    >
      <Head {...props} />
      <DayBars links={links} page={page} query={query} />
      {page.total > 1 && <Filters links={links} page={page} query={query} />}
      <div
        id="live"
        class="live card"
        role="status"
        data-newest={page.current.commit}
        data-follow={links.newestRevision()}
      />
      {page.indexing && <IndexingNotice progress={page.indexing} />}
      {page.current.number === 1 && (
        <FirstUse
          links={links}
          origin={origin}
          fileName={fileName}
          title="This is the first configuration"
        >
          Every valid configuration becomes a revision here: saved on the Edit page, sent by a
          program, changed in the file on disk, or pushed with git. There are three ways to begin:
        </FirstUse>
      )}
      {list}
    </PageLayout>
  )
}

interface HistoryListProps extends HistoryViewProps {
  readonly rows: readonly HistoryRow[]
  /** The changes that each row shows. */
  readonly listed: readonly ListedChanges[]
}

/** The revisions of one page, and the way to the others. */
export function HistoryList(props: HistoryListProps) {
  const { frame, query, page, rows } = props
  const { links } = frame
  const { filter } = query
  const chosen = chosenOf(page, query.chosen)
  return (
    <>
      <form id="history" tabindex={-1} action={links.chooseComparison()}>
        {filter.entity !== '' && <input type="hidden" name="entity" value={filter.entity} />}
        {rows.length === 0 ? (
          <NothingFound {...props} />
        ) : (
          <div class="table-card">
            <HistoryTable {...props} links={links} chosen={chosen} />
            {page.total > 1 && <CompareBar rows={rows} chosen={chosen} />}
          </div>
        )}
      </form>
      <Pages {...props} />
      {page.first.number > 1 && page.offset + ROWS >= page.matching && (
        <p class="muted">Older revisions are in an archive.</p>
      )}
    </>
  )
}

function Head({ frame: { links }, page, query: { filter }, now }: HistoryViewProps) {
  const { current } = page
  const at = new Date(now).toISOString().slice(0, 16)
  const about = (
    <>
      {`${countOf(page.total, 'revision')} since `}
      <Day time={page.first.time} />
      {'. '}
      Current is <a href={links.snapshot(`r${current.number}`)}>{`r${current.number}`}</a>,{' '}
      <code title={current.digest}>{current.digest.slice(0, 8)}</code>.
    </>
  )
  return (
    <PageHead
      title="Configuration history"
      about={about}
      menu={
        <>
          <a href={links.feed(historyQueryOf(filter))}>Feed</a>
          <a href={links.revisionsJson(historyQueryOf(filter))}>JSON</a>
        </>
      }
    >
      <form class="actions" action={links.at()}>
        <label for="at">
          Config in effect at <span class="without-script">(UTC)</span>
        </label>
        <input
          id="at"
          type="datetime-local"
          name="time"
          value={at}
          required
          autocomplete="off"
          data-utc=""
        />
        <button>Open</button>
      </form>
    </PageHead>
  )
}

function NothingFound({ frame: { links }, page, query: { filter } }: HistoryViewProps) {
  const { matching, total } = page
  if (matching > 0) {
    return (
      <EmptyCard title="No revisions on this page">
        {`It has ${countOf(matching, 'revision')}. `}
        <a href={links.history(historyQueryOf(filter))}>Show the newest</a>
      </EmptyCard>
    )
  }
  return (
    <EmptyCard title="No revision matches">
      {`The history has ${countOf(total, 'revision')}; none matches the filter. `}
      <a href={links.history()}>Show all</a>
    </EmptyCard>
  )
}

function Pages({ frame: { links }, page, query: { filter } }: HistoryViewProps) {
  const { offset, matching, shown } = page
  if (matching <= ROWS && offset === 0) return <></>
  const to = (start: number) => ({ value: Math.max(0, start), action: links.history() })
  return (
    <nav class="pager" aria-label="Pages">
      {Object.entries(historyQueryOf({ ...filter, entity: '' })).map(
        ([name, value]) =>
          value !== null &&
          value !== '' && <input type="hidden" name={name} value={value} form="history" />,
      )}
      {offset > 0 && <Turn {...to(offset - ROWS)} label="← Newer" shortcut="]" />}
      <span class="muted">
        {shown.length === 0 ? '' : `${offset + 1} to ${offset + shown.length} of ${matching}`}
      </span>
      {offset + ROWS < matching && <Turn {...to(offset + ROWS)} label="Older →" shortcut="[" />}
    </nav>
  )
}

interface TurnProps {
  readonly value: number
  readonly action: string
  readonly label: string
  readonly shortcut: string
}

/** Sends the chosen revisions along to the other page, with scripts or without. */
function Turn({ value, action, label, shortcut }: TurnProps) {
  return (
    <button
      form="history"
      formaction={action}
      name="offset"
      value={value}
      aria-keyshortcuts={shortcut}
    >
      {label}
    </button>
  )
}

/** The chosen comparison, at the foot of the window from the first choice on. `enhance.js` keeps its text up to date. */
function CompareBar({
  rows,
  chosen: { a, b },
}: Pick<HistoryListProps, 'rows'> & { chosen: ChosenRevisions }) {
  const isAway = (number: number | null) =>
    number !== null && !rows.some(({ revision }) => revision.number === number)
  return (
    <div class="compare-bar bottom-bar">
      <p>
        {isAway(a) && <Pick side="a" number={a ?? 0} chosen={a} />}
        {isAway(b) && <Pick side="b" number={b ?? 0} chosen={b} />}
        <b id="chosen">{chosenText({ a, b })}</b>{' '}
        <span id="chosen-text" class="muted" aria-live="polite">
          {a !== null && b !== null && countOf(Math.abs(b - a), 'revision')}
        </span>
      </p>
      <p class="muted hint with-script" aria-hidden="true">
        <kbd>j</kbd> <kbd>k</kbd> move, <kbd>a</kbd> <kbd>b</kbd> mark, <kbd>c</kbd> compare
      </p>
      <button class="primary">Compare</button>
    </div>
  )
}
