import type { ShownChanges } from '../code/shown-changes.ts'
import { ListedChangeGroups } from '../parts/change-list.tsx'
import { moreOf } from '../kit/lists.tsx'
import { compareQueryOf } from '../code/compare-query.ts'
import type { CompareViewProps } from './compare-view.tsx'
import { hasHistory } from '../revisions/entity-address.ts'

/** How many entities are shown at once; the text is what people look for. */
const AT_ONCE = 10

type Compared = Pick<CompareViewProps, 'frame' | 'query' | 'from' | 'to' | 'comparison'>

export interface SummaryCardProps extends Compared {
  /** Null when too much differs to be described. */
  readonly described: ShownChanges | null
  readonly place: 'above-text' | 'below-text'
}

/** The described changes. The name of an entity links to the comparison of that entity alone. */
export function SummaryCard(props: SummaryCardProps) {
  const { frame, comparison, query, from, to, described, place } = props
  const narrowed = (entity: string) =>
    `${frame.links.compare(from, to, compareQueryOf({ ...query, entity, start: null, expanded: [] }))}#diff`
  const where = place === 'above-text' ? 'below' : 'above'
  return (
    <section class="card" id="summary">
      <div class="card-head">
        <h2>Changes</h2>
        {comparison.regions.length > 0 && <a href="#diff">Jump to diff</a>}
      </div>
      {place === 'above-text' && <NarrowForm {...props} />}
      {described === null && (
        <p class="muted">{`Too many changes to summarise. The full diff is ${where}.`}</p>
      )}
      {described?.count === 0 && <p class="muted">No changes</p>}
      {described !== null && described.count > 0 && (
        <ListedChangeGroups
          listed={described.listed}
          linkOf={({ kind, name }) => narrowed(`${kind}/${name}`)}
          atOnce={AT_ONCE}
          more={(left) => `${moreOf(left)} in the diff ${where}`}
        />
      )}
    </section>
  )
}

/** Links to a summary that takes longer than the diff. */
export function LaterSummaryCard(props: Compared) {
  return (
    <section class="card">
      <h2>Changes</h2>
      <NarrowForm {...props} described={null} />
      <p>
        There are many changes: <a href="#summary">the summary</a> is below the diff.
      </p>
    </section>
  )
}

type NarrowFormProps = Omit<SummaryCardProps, 'place'>

/** Narrows the changes in words and the text to one entity, or to a group with its pipelines. */
function NarrowForm({ frame, query, from, to, comparison, described }: NarrowFormProps) {
  const action = frame.links.compare(from, to)
  const others = compareQueryOf({ ...query, entity: '', start: null, expanded: [] })
  const all = frame.links.compare(from, to, others)
  const changed = changedIn({ comparison, described })
  if (described !== null && described.count <= 1 && query.entity === '') return <></>
  return (
    <form class="filters" action={action} aria-label="Narrow">
      {Object.entries(others).map(
        ([name, value]) =>
          value !== null && value !== '' && <input type="hidden" name={name} value={value} />,
      )}
      <input
        class="filter-text"
        name="entity"
        value={query.entity}
        list="changed-entities"
        aria-label="Only this pipeline, group or other thing"
        placeholder="pipeline/shop or group/web"
        autocomplete="off"
        spellcheck={false}
      />
      <datalist id="changed-entities">
        {[...changed].map((name) => (
          <option value={name} />
        ))}
      </datalist>
      <button>Narrow</button>
      {query.entity !== '' && <a href={all}>Show everything</a>}
    </form>
  )
}

/** The names of what differs: the groups of the shown lines, and the entities of the listed changes. */
function changedIn({
  comparison,
  described,
}: Pick<NarrowFormProps, 'comparison' | 'described'>): ReadonlySet<string> {
  const groups = comparison.regions.flatMap(({ place }) =>
    place.path.flatMap(({ word, name }) => (word === 'group' ? [`group/${name}`] : [])),
  )
  const entities = described?.listed.groups.flatMap((group) => group.entities) ?? []
  const named = entities.filter(({ kind }) => hasHistory(kind))
  return new Set([...groups, ...named.map(({ kind, name }) => `${kind}/${name}`)])
}
