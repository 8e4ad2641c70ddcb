import { dayName } from './day-counts.ts'
import type { ChosenRevisions, HistoryPage, HistoryRow } from './history-page.ts'
import { revisionTitle } from '../revisions/revision-title.ts'
import { type ListedChanges, listChanges } from '../parts/change-groups.ts'
import { ListedChangeGroups, toEntityHistory } from '../parts/change-list.tsx'
import type { CooperativeWork } from '../../lib/cooperative.ts'
import { TagBadges } from '../parts/revision-tags.tsx'
import { ChangeWords } from '../parts/change-words.tsx'
import type { Links } from '../kit/links.ts'
import { Hour, longDay } from '../kit/when.tsx'
import { Who } from '../parts/who.tsx'

/** The number of changes shown for one revision. */
const CHANGES = 6

interface TableProps {
  readonly links: Links
  readonly page: HistoryPage
  /** The changes that each row of the page shows. */
  readonly listed: readonly ListedChanges[]
  readonly chosen: Chosen
}

/** The changes that rows show, in steps. */
export function* listedIn(rows: readonly HistoryRow[]): CooperativeWork<ListedChanges[]> {
  const listed: ListedChanges[] = []
  for (const { details } of rows) {
    listed.push(yield* listChanges(details?.changes ?? [], CHANGES))
    yield
  }
  return listed
}

/** The rows of the history, grouped by day. */
export function HistoryTable({ links, page, listed, chosen }: TableProps) {
  return (
    <table class="list history">
      <thead>
        <tr>
          {page.total > 1 && <th class="pick">Compare</th>}
          <th>Revision</th>
          <th>What changed</th>
          <th>Lines</th>
          <th>Who</th>
          <th>When</th>
          <th>
            <span class="visually-hidden">Diff</span>
          </th>
        </tr>
      </thead>
      <tbody data-days="">
        {page.rows.map((row, n) => {
          const day = dayName(row.revision.time)
          const above = page.rows[n - 1]
          const isFirst = above === undefined || dayName(above.revision.time) !== day
          return (
            <>
              {isFirst && (
                <tr class="day">
                  <th colspan={7} scope="colgroup">
                    {`${longDay(day)}, UTC`}
                  </th>
                </tr>
              )}
              <Row
                links={links}
                row={row}
                listed={listed[n]}
                day={isFirst ? day : null}
                chosen={chosen}
                total={page.total}
              />
            </>
          )
        })}
      </tbody>
    </table>
  )
}

/** The revisions that a comparison would compare, by number. */
export interface Chosen {
  readonly a: number
  readonly b: number
}

/** The choice so far; without one, the newest revision of the page and the one before it. */
export function chosenOf({ rows, current, first }: HistoryPage, asked: ChosenRevisions): Chosen {
  const newest = newestOf(rows)
  const known = (number: number | null) =>
    number !== null && number >= first.number && number <= current.number ? number : null
  return { a: known(asked.a) ?? newest.a, b: known(asked.b) ?? newest.b }
}

function newestOf(rows: HistoryPage['rows']): Chosen {
  const b = Math.max(2, rows[0]?.revision.number ?? 2)
  const listed = rows[1]?.revision.number
  return { a: listed !== undefined && listed < b ? listed : b - 1, b }
}

interface RowProps {
  readonly links: Links
  readonly row: HistoryRow
  readonly listed: ListedChanges | undefined
  /** The day that begins with this row, as `2015-06-05`, or null. */
  readonly day: string | null
  readonly chosen: Chosen
  readonly total: number
}

function Row({ links, row, listed, day, chosen, total }: RowProps) {
  const { revision, details } = row
  const { number, digest } = revision
  const name = `r${number}`
  return (
    <tr class="revision" id={name} data-n={number} data-who={revision.username}>
      {total > 1 && (
        <td class="pick">
          <Pick side="a" number={number} chosen={chosen.a} />
          <Pick side="b" number={number} chosen={chosen.b} />
        </td>
      )}
      <td class="name">
        <a class="number" href={links.snapshot(name)}>
          {name}
        </a>{' '}
        <code title={digest}>{digest.slice(0, 8)}</code>
        {revision.isCurrent && <span class="badge added">current</span>}
        <TagBadges revision={revision} />
      </td>
      <td class="what">
        <What links={links} row={row} listed={listed} />
      </td>
      <td class="lines">
        {details?.lines ? <LineCounts lines={details.lines} /> : <NotCounted />}
      </td>
      <td>
        <Who revision={revision} />
      </td>
      <td class="when" id={day === null ? undefined : `d${day}`}>
        <Hour time={revision.time} />
      </td>
      <td class="diff">
        {revision.base !== null && (
          <a href={links.change(revision)} aria-label={`Diff of ${name}`}>
            Diff
          </a>
        )}
      </td>
    </tr>
  )
}

export function Pick({
  side,
  number,
  chosen,
}: {
  side: 'a' | 'b'
  number: number
  chosen: number
}) {
  const letter = side.toUpperCase()
  return (
    <label class="letter">
      <input
        type="radio"
        name={side}
        value={`r${number}`}
        checked={number === chosen}
        aria-label={`${letter}: r${number}`}
      />
      <span aria-hidden="true">{letter}</span>
    </label>
  )
}

function What({ links, row: { revision }, listed }: Pick<RowProps, 'links' | 'row' | 'listed'>) {
  const words = <ChangeWords revision={revision} links={links} />
  if (listed === undefined || listed.groups.length === 0) {
    return (
      <>
        {revision.kind !== 'git' && <span>{revisionTitle(revision, null)}</span>}
        {words}
      </>
    )
  }
  const more = (left: number) =>
    revision.base === null ? (
      `and ${left} more`
    ) : (
      <a href={links.change(revision)}>{`and ${left} more`}</a>
    )
  return (
    <>
      <ListedChangeGroups listed={listed} linkOf={toEntityHistory(links)} more={more} />
      {words}
    </>
  )
}

/** The lines of a revision that has not been compared yet; a script asks for them again. */
function NotCounted() {
  return (
    <span class="muted" data-pending="" title="Not counted yet">
      <span aria-hidden="true">…</span>
      <span class="visually-hidden">not counted yet</span>
    </span>
  )
}

export function LineCounts({
  lines: { added, removed },
}: {
  lines: { added: number; removed: number }
}) {
  return (
    <span class="counts">
      <span class="plus">
        {`+${added}`}
        <span class="visually-hidden"> lines added</span>
      </span>{' '}
      <span class="minus">
        {`−${removed}`}
        <span class="visually-hidden"> lines removed</span>
      </span>
    </span>
  )
}
