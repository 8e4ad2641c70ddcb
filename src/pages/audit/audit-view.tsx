import type { AuditEntry, AuditPage, AuditQuery } from '../../core/audit.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { StateAway } from '../frame/page-state.tsx'
import { Moment, When } from '../kit/when.tsx'
import { AUDIT_ACTIONS, type AuditSentence } from './audit-sentence.ts'

interface AuditViewProps {
  readonly frame: PageFrame
  readonly query: AuditQuery
  readonly page: AuditPage
  readonly sentenceOf: (entry: AuditEntry) => AuditSentence
  /** The days of the filter as they are written; empty for none. */
  readonly days: { readonly since: string; readonly until: string }
  /** Whether the names of agents are known. */
  readonly isWhole: boolean
  readonly now: number
}

const OUTCOMES = ['done', 'refused', 'failed'] as const

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
      <div class="page-head">
        <h1>Audit log</h1>
        {isFiltered && <a href={frame.links.audit()}>Clear the filter</a>}
      </div>
      <Filter {...props} />
      {!isWhole && <StateAway what="Agents are named by their ids" />}
      {page.entries.length === 0 ? (
        <p class="card">{isFiltered ? 'No entries match.' : 'Nothing has been recorded yet.'}</p>
      ) : (
        <Entries {...props} />
      )}
      {next !== null && (
        <p>
          <a
            class="button"
            href={frame.links.audit({ user, action, outcome, address, ...days, before: next })}
          >
            Older
          </a>
        </p>
      )}
    </PageLayout>
  )
}

function Filter({ frame, query, days }: AuditViewProps) {
  return (
    <form class="filters" action={frame.links.audit()} aria-label="Filter">
      <input
        name="user"
        class="filter-text"
        value={query.user ?? ''}
        placeholder="User"
        aria-label="User"
      />
      <select name="action" aria-label="Action">
        <option value="">Any action</option>
        {query.action !== null && !AUDIT_ACTIONS.has(query.action) && (
          <option value={query.action} selected>
            {query.action}
          </option>
        )}
        {Array.from(AUDIT_ACTIONS, ([action, name]) => (
          <option value={action} selected={action === query.action}>
            {name}
          </option>
        ))}
      </select>
      <select name="outcome" aria-label="Outcome">
        <option value="">Any outcome</option>
        {OUTCOMES.map((outcome) => (
          <option value={outcome} selected={outcome === query.outcome}>
            {outcome}
          </option>
        ))}
      </select>
      <input
        name="address"
        value={query.address ?? ''}
        placeholder="Address"
        aria-label="Address"
      />
      <label>
        From <input type="date" name="since" value={days.since} />
      </label>
      <label>
        to <input type="date" name="until" value={days.until} /> in UTC
      </label>
      <button>Filter</button>
    </form>
  )
}

function Entries({ frame, page, sentenceOf, now }: AuditViewProps) {
  return (
    <div class="table-card audit">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Outcome</th>
            <th scope="col">Who</th>
            <th scope="col">What</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {page.entries.map((entry) => (
            <Entry links={frame.links} entry={entry} sentence={sentenceOf(entry)} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface EntryProps {
  readonly links: Links
  readonly entry: AuditEntry
  readonly sentence: AuditSentence
  readonly now: number
}

function Entry({ links, entry, sentence, now }: EntryProps) {
  const { time, user, token, claimed, outcome, status, reason, address, times, first, last } = entry
  const why = [reason, status].filter((fact) => fact !== undefined).join(', ')
  return (
    <tr>
      <td>
        <Moment time={time} />
      </td>
      <td>
        <b class={`outcome-${outcome}`}>{outcome}</b>
        {outcome !== 'done' && <span class="muted">{` ${why}`}</span>}
        {times !== undefined && ` ${times} times`}
        {first !== undefined && last !== undefined && first !== last && (
          <>
            {', from '}
            <When time={first} now={now} /> to <When time={last} now={now} />
          </>
        )}
      </td>
      <td>
        {user === '' ? (
          <span class="muted">{claimed === undefined ? 'no login' : `somebody as ${claimed}`}</span>
        ) : (
          <a href={links.audit({ user })}>{user}</a>
        )}
        {token !== undefined && (
          <span class="muted">
            {' by token '}
            <code>{token}</code>
          </span>
        )}
      </td>
      <td>
        <What links={links} sentence={sentence} />
      </td>
      <td>{address}</td>
    </tr>
  )
}

/** `Disabled agent build-01`, `Saved the configuration as r12`. */
function What({ links, sentence }: Pick<EntryProps, 'links' | 'sentence'>) {
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
