import { parseRestoreSubject } from '../../core/restore-subject.ts'
import { isCosmetic } from '../../document/changes/entities-of.ts'
import type { CooperativeWork } from '../../lib/cooperative.ts'
import type { Links } from '../kit/links.ts'
import { Ago, dayName } from '../kit/when.tsx'
import { type ListedChanges, listChanges } from '../parts/change-groups.ts'
import { ChangeGist, Mark, toEntityHistory } from '../parts/change-list.tsx'
import { Headline, RestoredFrom, wordsOf } from '../parts/change-words.tsx'
import { TagBadges } from '../parts/revision-tags.tsx'
import { Who } from '../parts/who.tsx'
import { hasOwnTitle } from '../revisions/revision-title.ts'
import type { ChosenRevisions, HistoryPage, HistoryRow } from './history-page.ts'
import type { MatchedLine } from './searched-lines.ts'

/** The number of changes shown for one revision. */
const CHANGES = 3

interface TableProps {
  readonly links: Links
  readonly page: HistoryPage
  readonly rows: readonly HistoryRow[]
  /** The changes that each row shows. */
  readonly listed: readonly ListedChanges[]
  readonly chosen: ChosenRevisions
  readonly now: number
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

/** The rows of the history. */
export function HistoryTable(props: TableProps) {
  const { page, rows, listed } = props
  return (
    <table class="list history" aria-label="Revisions">
      <thead>
        <tr>
          {page.total > 1 && <th class="pick">Compare</th>}
          <th>Revision</th>
          <th>What changed</th>
          <th>Lines</th>
          <th>Who</th>
          <th>When</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, n) => {
          const day = dayName(row.revision.time)
          const above = rows[n - 1]
          const isFirst = above === undefined || dayName(above.revision.time) !== day
          return (
            <Row
              {...props}
              row={row}
              listed={listed[n]}
              day={isFirst ? day : null}
              total={page.total}
            />
          )
        })}
      </tbody>
    </table>
  )
}

/** The revisions of the history that are chosen so far; null where none is. */
export function chosenOf({ current, first }: HistoryPage, asked: ChosenRevisions): ChosenRevisions {
  const known = (number: number | null) =>
    number !== null && number >= first.number && number <= current.number ? number : null
  return { a: known(asked.a), b: known(asked.b) }
}

interface RowProps extends Pick<TableProps, 'links' | 'chosen' | 'now'> {
  readonly row: HistoryRow
  readonly listed: ListedChanges | undefined
  /** The day that begins with this row, as `2015-06-05`, or null. */
  readonly day: string | null
  readonly total: number
}

function Row({ links, row, listed, day, chosen, total, now }: RowProps) {
  const { revision, details } = row
  const { number, digest } = revision
  const name = `r${number}`
  return (
    <tr class="revision" id={name} data-n={number} data-who={revision.username}>
      {total > 1 && (
        <td class="pick nowrap">
          <Pick side="a" number={number} chosen={chosen.a} />
          <Pick side="b" number={number} chosen={chosen.b} />
        </td>
      )}
      <td class="name nowrap">
        <a class="number" href={links.change(revision)} title={digest}>
          <b>{name}</b>
        </a>
      </td>
      <td class="what">
        <What links={links} row={row} listed={listed} />
      </td>
      <td class="lines nowrap">
        {details?.lines ? <LineCounts lines={details.lines} /> : <NotCounted />}
      </td>
      <td>
        <Who revision={revision} />
      </td>
      <td class="when muted nowrap" id={day === null ? undefined : `d${day}`}>
        <Ago time={revision.time} now={now} />
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
  chosen: number | null
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

function What({ links, row, listed }: Pick<RowProps, 'links' | 'row' | 'listed'>) {
  const { revision, details, matched } = row
  const { first, rest } = wordsOf(revision)
  const isQuiet = listed === undefined || listed.groups.length === 0
  const isTitled = first !== '' || isQuiet || hasOwnTitle(revision, details?.changes ?? [])
  const more = (left: number) => (
    <a href={links.change(revision)} aria-label={`${left} more of r${revision.number}`}>
      {`+${left}`}
    </a>
  )
  return (
    <>
      {(isTitled || hasMarks(revision)) && (
        <p class="headline row" title={rest === '' ? undefined : rest}>
          {isTitled && (
            <b>
              <Headline revision={revision} />
            </b>
          )}
          <RestoredFrom revision={revision} links={links} />
          <Marks revision={revision} />
          {isCosmetic(details?.changes ?? []) && <span class="badge">layout</span>}
        </p>
      )}
      {!isQuiet && <ChangeGist listed={listed} linkOf={toEntityHistory(links)} more={more} />}
      {matched && <Matched line={matched} />}
    </>
  )
}

function hasMarks(revision: HistoryRow['revision']): boolean {
  const { isCurrent, isMerge, tags, subject } = revision
  return isCurrent || isMerge || tags.length > 0 || parseRestoreSubject(subject) !== null
}

function Marks({ revision }: Pick<HistoryRow, 'revision'>) {
  return (
    <>
      {revision.isCurrent && <span class="badge added">current</span>}
      {revision.isMerge && <span class="badge renamed">merge</span>}
      <TagBadges revision={revision} />
    </>
  )
}

/** The line that a search has found. */
function Matched({ line: { isAdded, before, text, after } }: { line: MatchedLine }) {
  return (
    <p class="matched">
      <Mark kind={isAdded ? 'added' : 'removed'} />{' '}
      <code>
        {before}
        <mark>{text}</mark>
        {after}
      </code>
    </p>
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
