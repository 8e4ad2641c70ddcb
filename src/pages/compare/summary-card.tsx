import type { ShownChanges } from '../code/shown-changes.ts'
import { ListedChangeGroups } from '../parts/change-list.tsx'
import { moreOf } from '../kit/lists.tsx'
import { compareQueryOf } from '../code/compare-query.ts'
import type { CompareViewProps } from './compare-view.tsx'
import { NarrowForm } from './narrow-form.tsx'

/** How many entities are shown at once; the text is what people look for. */
const AT_ONCE = 10

export interface SummaryCardProps extends Pick<
  CompareViewProps,
  'frame' | 'query' | 'from' | 'to' | 'comparison'
> {
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
export function LaterSummaryCard(props: Omit<SummaryCardProps, 'described' | 'place'>) {
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
