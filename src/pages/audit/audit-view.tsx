import type { AuditEntry } from '../../core/audit.ts'
import type { AuditPage, AuditQuery } from '../../notify/audit/audit.ts'
import { type PageFrame, PageLayout } from '../frame/layout.tsx'
import { When } from '../frame/when.tsx'

interface AuditViewProps {
  readonly frame: PageFrame
  readonly query: AuditQuery
  readonly page: AuditPage
  readonly now: number
}

const OUTCOMES = ['done', 'refused', 'failed'] as const

/** Every entry with the user, the action, the address it came from, and the result. */
export function AuditView({ frame, query, page, now }: AuditViewProps) {
  const { user, action, outcome, address } = query
  const { next } = page
  return (
    <PageLayout frame={frame} title="Audit log" styles={['audit.css']}>
      <div class="page-head">
        <h1>Audit log</h1>
      </div>
      <Filter frame={frame} query={query} />
      {page.entries.length === 0 ? (
        <p class="card">Nothing is noted that fits.</p>
      ) : (
        <Entries entries={page.entries} now={now} />
      )}
      {next !== null && (
        <p>
          <a
            class="button"
            href={frame.links.audit({ user, action, outcome, address, before: next })}
          >
            Older
          </a>
        </p>
      )}
    </PageLayout>
  )
}

function Filter({ frame, query }: Pick<AuditViewProps, 'frame' | 'query'>) {
  return (
    <form class="filters" action={frame.links.audit()} aria-label="Filter">
      <input name="user" value={query.user ?? ''} placeholder="User" aria-label="User" />
      <input
        name="action"
        value={query.action ?? ''}
        placeholder="Action, for example enable-agent"
        aria-label="Action"
      />
      <input
        name="address"
        value={query.address ?? ''}
        placeholder="Address"
        aria-label="Address"
      />
      <select name="outcome" aria-label="Outcome">
        <option value="">Any outcome</option>
        {OUTCOMES.map((outcome) => (
          <option value={outcome} selected={outcome === query.outcome}>
            {outcome}
          </option>
        ))}
      </select>
      <button>Filter</button>
    </form>
  )
}

function Entries({ entries, now }: { entries: readonly AuditEntry[]; now: number }) {
  return (
    <div class="card audit" role="region" aria-label="Entries" tabindex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Who</th>
            <th scope="col">What</th>
            <th scope="col">Outcome</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <Entry entry={entry} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Entry({ entry, now }: { entry: AuditEntry; now: number }) {
  const { time, user, claimed, action, target, outcome, status, reason, address } = entry
  const { times, first, last, targets = [] } = entry
  const why = [status, reason].filter((fact) => fact !== undefined).join(', ')
  return (
    <tr>
      <td>
        <When time={time} now={now} />
      </td>
      <td>{user || (claimed === undefined ? 'nobody' : `somebody as ${claimed}`)}</td>
      <td>
        {action} <span class="muted">{targets.length > 0 ? targets.join(', ') : target}</span>
      </td>
      <td>
        <b class={`outcome-${outcome}`}>{outcome}</b>{' '}
        <span class="muted">{outcome === 'done' ? '' : why}</span>
        {times !== undefined && ` ${times} times`}
        {first !== undefined && last !== undefined && first !== last && (
          <>
            , from <When time={first} now={now} /> to <When time={last} now={now} />
          </>
        )}
      </td>
      <td>{address}</td>
    </tr>
  )
}
