import type { AuditEntry, AuditPage, AuditQuery } from '../../core/service/audit.ts'
import { shownAuthor } from '../../core/revision.ts'
import { type OpenPage, PageLayout } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { StateAway } from '../frame/page-state.tsx'
import { LinkButton } from '../kit/buttons.tsx'
import { FilterText, Select, type SelectOption } from '../kit/forms.tsx'
import { DateRange } from '../kit/date-field.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { Table } from '../kit/table.tsx'
import { dayName, Hour, longDay, When } from '../kit/when.tsx'
import { AUDIT_ACTIONS, type AuditSentence } from './audit-sentence.ts'

interface AuditViewProps extends OpenPage {
  readonly query: AuditQuery
  readonly page: AuditPage
  readonly sentenceOf: (entry: AuditEntry) => AuditSentence
  /** The days of the filter as written; empty for none. */
  readonly days: { readonly since: string; readonly until: string }
  /** Whether the names of agents are known. */
  readonly isWhole: boolean
}

const OUTCOMES: readonly SelectOption[] = [
  ['', 'Any outcome'],
  ['done', 'done'],
  ['refused', 'refused'],
  ['failed', 'failed'],
]

/** Every entry with the user, the action, the address it came from, and the result. */
export function AuditView(props: AuditViewProps) {
  const { frame, query, page, days, isWhole } = props
  const { user, action, outcome, address } = query
  const { next } = page
  const isFiltered = [user, action, outcome, address, days.since || null, days.until || null].some(
    (each) => each !== null,
  )
  return (
    <PageLayout frame={frame} title="Audit log" section="audit" styles={['audit.css']}>
      <PageHead title="Audit log" about="What was done, tried and refused, newest first.">
        {isFiltered && <a href={frame.links.audit()}>Clear the filter</a>}
      </PageHead>
      <Filter {...props} />
      {!isWhole && <StateAway what="Agents are shown by their IDs" />}
      <Table
        label="Entries"
        class="audit"
        columns={COLUMNS}
        isByDay
        rows={page.entries.map((entry, n) => {
          const [day, above] = [entry, page.entries[n - 1]].map(
            (each) => each && dayName(each.time),
          )
          return {
            day: day === undefined || day === above ? undefined : `${longDay(day)}, UTC`,
            cells: cellsOf(props, entry),
          }
        })}
        empty={
          isFiltered
            ? 'No entries match.'
            : 'Nothing has been recorded yet. Changes of the configuration, of agents, of runs and of users appear here.'
        }
      />
      {next !== null && (
        <p>
          <LinkButton
            href={frame.links.audit({ user, action, outcome, address, ...days, before: next })}
            label="Older"
          />
        </p>
      )}
    </PageLayout>
  )
}

const COLUMNS = [
  { label: 'When', isPlain: true },
  { label: 'Outcome', isPlain: true },
  { label: 'Who', isPlain: true },
  { label: 'What', isPlain: true },
  { label: 'From', isPlain: true },
]

function Filter({ frame, query }: AuditViewProps) {
  const { action, address, since, until } = query
  const isOther = action !== null && !AUDIT_ACTIONS.has(action)
  const actions: readonly SelectOption[] = [
    ['', 'Any action'],
    ...(isOther ? [[action, action] as const] : []),
    ...AUDIT_ACTIONS,
  ]
  return (
    <form class="filters" action={frame.links.audit()} aria-label="Filter">
      <FilterText name="user" value={query.user ?? ''} placeholder="User" label="User" />
      <Select name="action" label="Action" options={actions} chosen={action} />
      <Select name="outcome" label="Outcome" options={OUTCOMES} chosen={query.outcome} />
      <button>Filter</button>
      <details class="more-filters" open={[address, since, until].some((each) => each !== null)}>
        <summary>Dates and more</summary>
        <span class="row">
          <DateRange since={since} until={until} />
          <FilterText name="address" value={address ?? ''} placeholder="Address" label="Address" />
        </span>
      </details>
    </form>
  )
}

function cellsOf({ frame: { links }, sentenceOf, now }: AuditViewProps, entry: AuditEntry) {
  return [
    <Hour time={entry.time} />,
    <Outcome entry={entry} now={now} />,
    <By links={links} entry={entry} />,
    <What links={links} sentence={sentenceOf(entry)} />,
    entry.address,
  ]
}

function Outcome({ entry, now }: { entry: AuditEntry; now: number }) {
  const { outcome, status, reason, times, first, last } = entry
  const why = reason?.replaceAll('-', ' ') ?? status ?? ''
  return (
    <>
      <b class={`outcome-${outcome}`}>{outcome}</b>
      {outcome !== 'done' && <span class="muted">{` ${why}`}</span>}
      {times !== undefined && ` ${times} times`}
      {first !== undefined && first !== last && (
        <>
          {', the first '}
          <When time={first} now={now} />
        </>
      )}
    </>
  )
}

/** The interfaces beside pages and calls. */
const INTERFACES = { mcp: 'an assistant (MCP)' } as const

function By({ links, entry }: { links: Links; entry: AuditEntry }) {
  const { user, claimed, token, via } = entry
  return (
    <>
      {user === '' ? (
        <span class="muted">
          {claimed === undefined ? 'not logged in' : `not logged in, as ${claimed}`}
        </span>
      ) : (
        <a href={links.audit({ user })}>{shownAuthor(user)}</a>
      )}
      {token !== undefined && (
        <span class="muted">
          {' by token '}
          <code>{token}</code>
        </span>
      )}
      {via !== undefined && <span class="muted">{` through ${INTERFACES[via]}`}</span>}
    </>
  )
}

/** `Disabled agent build-01`, `Saved the configuration as r12`. */
function What({ links, sentence }: { links: Links; sentence: AuditSentence }) {
  const { verb, object, href, revision } = sentence
  return (
    <>
      {`${verb} `}
      {href === null ? <span class="muted">{object}</span> : <a href={href}>{object}</a>}
      {revision !== null && (
        <>
          {' as '}
          <a href={links.snapshot(`r${revision}`)}>{`r${revision}`}</a>
        </>
      )}
    </>
  )
}
