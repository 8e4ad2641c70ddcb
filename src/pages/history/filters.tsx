import { EVERYTHING } from '../../configuration/search/find-revisions.ts'
import { plural } from '../../lib/plural.ts'
import { capitalised } from '../../lib/texts.ts'
import { isSameName } from '../../core/name-key.ts'
import { REVISION_KINDS, type RevisionKind } from '../../core/revision.ts'
import { isOpen, type RevisionFilter } from '../../configuration/search/revision-filter.ts'
import { foldEntity } from '../../document/entities/entities.ts'
import type { HistoryPage, HistoryQuery } from './history-page.ts'
import { countOf } from '../kit/words/count.ts'
import { DateField, InUtc } from '../kit/date-field.tsx'
import { CheckBox, FilterText, Options, Select, type SelectOption } from '../kit/forms.tsx'
import type { Links } from '../kit/links.ts'
import { CHANGE_KINDS, HISTORY_KINDS, historyQueryOf } from './history-query.ts'
import { pluralOf } from '../parts/change-list.tsx'

const KIND_LABELS = {
  person: 'People',
  agent: 'Agents',
  'file-system': 'File on disk',
  git: 'Git',
  upgrade: 'Upgrades',
} as const satisfies Record<RevisionKind, string>

/** The kinds of entities in the order of the list, each with its heading. */
const ENTITY_HEADINGS: readonly (readonly [kind: string, heading: string])[] = [
  ['pipeline', 'Pipelines'],
  ['group', 'Groups'],
  ['template', 'Templates'],
  ['environment', 'Environments'],
  ['role', 'Roles'],
  ['agent', 'Agents'],
]

interface FiltersProps {
  readonly links: Links
  readonly page: HistoryPage
  readonly query: HistoryQuery
}

/** The fields of the filter. It is part of the address, so it can be bookmarked and shared. */
export function Filters(props: FiltersProps) {
  const { links, query, page } = props
  const { filter, chosen } = query
  const { agentRegistrations, noise } = page.facts
  return (
    <form class="filters" action={links.history()} aria-label="Filter">
      <Kept name="a" number={chosen.a} />
      <Kept name="b" number={chosen.b} />
      <FilterText
        name="text"
        value={filter.text}
        placeholder="Text added or removed"
        hint="Finds the revisions in which this text occurs more or less often in the configuration than before, as git log -S does. Case-sensitive."
        label="Text added or removed in the configuration"
      />
      <People {...props} />
      <Ways {...props} />
      <Kinds {...props} />
      <Entities {...props} />
      {filter.mentions !== '' && <OnlyMentioning {...props} />}
      <button>Filter</button>
      <details class="more-filters" open={usesMore(filter)}>
        <summary>Dates and more</summary>
        <span class="row">
          <Dates {...props} />
          <Sources {...props} />
          {agentRegistrations > 0 && (
            <CheckBox
              name="agents"
              isChecked={filter.agents}
              label={`Agent registrations (${agentRegistrations})`}
            />
          )}
          {(noise > 0 || filter.withoutNoise) && (
            <CheckBox
              name="noise"
              value="0"
              isChecked={filter.withoutNoise}
              label={`Hide layout changes (${noise})`}
            />
          )}
        </span>
      </details>
      {!isOpen(filter) && <Matching {...props} />}
    </form>
  )
}

/** Whether a filter is set that is folded without one. */
function usesMore({ since, until, kind, agents, withoutNoise }: RevisionFilter): boolean {
  return since !== null || until !== null || kind !== null || agents || withoutNoise
}

/** The choice for a comparison, which a filter does not change; a script fills it. */
function Kept({ name, number }: { name: string; number: number | null }) {
  return (
    <input
      type="hidden"
      name={name}
      value={number === null ? '' : `r${number}`}
      disabled={number === null}
    />
  )
}

function Matching({ links, page, query }: FiltersProps) {
  const { matching } = page
  const open = {
    ...EVERYTHING,
    agents: query.filter.agents,
    withoutNoise: query.filter.withoutNoise,
  }
  return (
    <span class="row" role="status">
      <b>{`${countOf(matching, 'revision')} ${plural(matching, 'matches', 'match')}`}</b>{' '}
      <a href={links.history(historyQueryOf(open, 0, query.chosen))}>Clear</a>
    </span>
  )
}

function People({ page, query: { filter } }: FiltersProps) {
  const { users } = page.facts
  const asked = users.find(({ username }) => isSameName(username, filter.username))
  const options: readonly SelectOption[] = [
    ['', 'Anyone'],
    ...users.map(({ username, who, revisions }) => [username, `${who} (${revisions})`] as const),
  ]
  const chosen = asked?.username ?? filter.username
  return <Select name="user" label="Who" options={options} chosen={chosen} />
}

function Sources({ page, query: { filter } }: FiltersProps) {
  const { kinds } = page.facts
  const present = REVISION_KINDS.filter((kind) => kinds.has(kind) || kind === filter.kind)
  const options: readonly SelectOption[] = [
    ['', 'Any source'],
    ...present.map((kind) => [kind, `${KIND_LABELS[kind]} (${kinds.get(kind) ?? 0})`] as const),
  ]
  return <Select name="kind" label="Source" options={options} chosen={filter.kind} />
}

/** How a revision left what it changed. */
function Ways({ query: { filter } }: FiltersProps) {
  const options: readonly SelectOption[] = [
    ['', 'Any change'],
    ...CHANGE_KINDS.map((kind) => [kind, capitalised(kind)] as const),
  ]
  return <Select name="changed" label="Kind of change" options={options} chosen={filter.changed} />
}

/** The kinds of entities that the history knows. */
function Kinds({ page, query: { filter } }: FiltersProps) {
  const known = new Set(page.facts.entities.map(({ kind }) => kind))
  const headings = new Map(ENTITY_HEADINGS)
  const kinds = HISTORY_KINDS.filter((kind) => known.has(kind) || kind === filter.entityKind)
  const options: readonly SelectOption[] = [
    ['', 'Any kind'],
    ...kinds.map((kind) => [kind, headings.get(kind) ?? capitalised(pluralOf(kind))] as const),
  ]
  return <Select name="of" label="Kind of entity" options={options} chosen={filter.entityKind} />
}

/** The entities with a history of their own, removed ones included. */
function Entities({ page, query: { filter } }: FiltersProps) {
  const { entities, unlistedEntities } = page.facts
  const chosen = foldEntity(filter.entity)
  const isListed = entities.some(({ entity }) => entity === chosen)
  const known = new Set(ENTITY_HEADINGS.map(([kind]) => kind))
  const others = entities.filter(({ kind }) => !known.has(kind))
  const groups = [
    ...ENTITY_HEADINGS.map(([kind, heading]) => ({
      heading,
      list: entities.filter((each) => each.kind === kind),
    })),
    { heading: 'Others', list: others },
  ]
  return (
    <select name="entity" aria-label="What">
      <Options
        options={[
          ['', 'Everything'],
          ...(isListed || filter.entity === '' ? [] : [[filter.entity, filter.entity] as const]),
        ]}
        chosen={filter.entity}
      />
      {groups.map(
        ({ heading, list }) =>
          list.length > 0 && (
            <optgroup label={heading}>
              <Options
                options={list.map(({ entity, kind, label, revisions }) => [
                  entity,
                  kind === 'group' ? label : `${label} (${revisions})`,
                ])}
                chosen={chosen}
              />
            </optgroup>
          ),
      )}
      {unlistedEntities > 0 && (
        <option disabled>{`${unlistedEntities} more: find one with the search`}</option>
      )}
    </select>
  )
}

function Dates({ links, query: { filter } }: FiltersProps) {
  return (
    <>
      <label>
        {'From '}
        <DateField name="since" at="start" time={filter.since} />
      </label>
      <label>
        {'to '}
        <DateField name="until" at="end" time={filter.until} />
      </label>
      <InUtc />
      <button formaction={links.chooseComparison()} name="by" value="dates">
        Compare these dates
      </button>
    </>
  )
}

function OnlyMentioning({ links, query: { filter, chosen } }: FiltersProps) {
  return (
    <span class="badge changed">
      <input type="hidden" name="q" value={filter.mentions} />
      {`mentions "${filter.mentions}" `}
      <a href={links.history(historyQueryOf({ ...filter, mentions: '' }, 0, chosen))}>show all</a>
    </span>
  )
}
