import type { ShownChanges } from '../code/shown-changes.ts'
import { compareQueryOf } from '../code/compare-query.ts'
import { hasHistory } from '../revisions/entity-address.ts'
import type { CompareViewProps } from './compare-view.tsx'

interface NarrowFormProps extends Pick<
  CompareViewProps,
  'frame' | 'query' | 'from' | 'to' | 'comparison'
> {
  readonly described: ShownChanges | null
}

/** Narrows the changes in words and the text to one entity, or to a group with its pipelines. */
export function NarrowForm({ frame, query, from, to, comparison, described }: NarrowFormProps) {
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
