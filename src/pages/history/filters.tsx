import { REVISION_KINDS, type RevisionKind } from '../../core/revision-kind.ts'
import type { RevisionFilter } from '../../configuration/search/revision-filter.ts'
import type { HistoryPage } from './history-page.ts'
import type { Links } from '../frame/links.ts'
import { dayOf, historyQueryOf } from './history-query.ts'

const KIND_LABELS = {
  person: 'People',
  agent: 'Agents',
  'file-system': 'File on disk',
  git: 'Git',
  upgrade: 'Upgrades',
} as const satisfies Record<RevisionKind, string>

/** The fields of the filter. It is part of the address, so it can be bookmarked and shared. */
export function Filters(props: { links: Links; page: HistoryPage; filter: RevisionFilter }) {
  const { links, filter, page } = props
  const { users, agentRegistrations, noise } = page.facts
  return (
    <form class="filters" action={links.history()} aria-label="Filter">
      <input
        class="filter-text"
        name="text"
        value={filter.text}
        maxlength={1000}
        placeholder="Text added or removed"
        title="Finds the revisions in which this text occurs more or less often in the configuration than before, as git log -S does. Upper and lower case differ."
        aria-label="Text added or removed in the configuration"
      />
      <select name="user" aria-label="Who">
        <Choice value="" label="Anyone" chosen={filter.username} />
        {users.map(({ username, who }) => (
          <Choice value={username} label={who} chosen={filter.username} />
        ))}
      </select>
      <select name="kind" aria-label="Where from">
        <Choice value="" label="Any source" chosen={filter.kind ?? ''} />
        {REVISION_KINDS.map((kind) => (
          <Choice value={kind} label={KIND_LABELS[kind]} chosen={filter.kind ?? ''} />
        ))}
      </select>
      <Dates filter={filter} />
      {filter.entity !== '' && <OnlyEntity {...props} />}
      {filter.mentions !== '' && <OnlyMentioning {...props} />}
      {agentRegistrations > 0 && (
        <label class="check">
          <input type="checkbox" name="agents" value="1" checked={filter.agents} />
          {` Show agent registrations (${agentRegistrations})`}
        </label>
      )}
      {(noise > 0 || filter.withoutNoise) && (
        <label class="check">
          <input type="checkbox" name="noise" value="0" checked={filter.withoutNoise} />
          {` Hide mere layout and schema versions (${noise})`}
        </label>
      )}
      <button>Filter</button>
      <span class="feeds">
        <a class="button plain" href={links.feed(historyQueryOf(filter))}>
          Feed
        </a>
        <a class="button plain" href={links.revisionsJson(historyQueryOf(filter))}>
          JSON
        </a>
      </span>
    </form>
  )
}

function Choice({ value, label, chosen }: { value: string; label: string; chosen: string }) {
  return (
    <option value={value} selected={value === chosen}>
      {label}
    </option>
  )
}

function Dates({ filter }: { filter: RevisionFilter }) {
  return (
    <details class="dates" open={filter.since !== null || filter.until !== null}>
      <summary>Dates</summary>
      <span>
        <label>
          {'from '}
          <input type="date" name="since" value={dayOf(filter.since)} />
        </label>
        <label>
          {'to '}
          <input type="date" name="until" value={dayOf(filter.until)} />
        </label>
      </span>
    </details>
  )
}

function OnlyEntity({ links, filter }: { links: Links; filter: RevisionFilter }) {
  const [kind, ...name] = filter.entity.split('/')
  return (
    <span class="badge changed">
      <input type="hidden" name="entity" value={filter.entity} />
      {`only ${kind} ${name.join('/')} `}
      <a href={links.history(historyQueryOf({ ...filter, entity: '' }))}>show all</a>
    </span>
  )
}

function OnlyMentioning({ links, filter }: { links: Links; filter: RevisionFilter }) {
  return (
    <span class="badge changed">
      <input type="hidden" name="q" value={filter.mentions} />
      {`mentions "${filter.mentions}" `}
      <a href={links.history(historyQueryOf({ ...filter, mentions: '' }))}>show all</a>
    </span>
  )
}
