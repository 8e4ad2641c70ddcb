import { ChangeList } from '../frame/change-list.tsx'
import { compareQueryOf } from '../code/compare-query.ts'
import type { CompareViewProps } from './compare-view.tsx'

const MOST = 300
/** How many entities are shown at once; the text below is what people look for. */
const AT_ONCE = 10

/** The described changes. The name of an entity links to the comparison of that entity alone. */
export function SummaryCard({ frame: { links }, comparison, query, from, to }: CompareViewProps) {
  const { changes } = comparison
  const narrowed = (entity: string) =>
    `${links.compare(from, to, compareQueryOf({ ...query, entity, start: null, expanded: [] }))}#diff`
  return (
    <section class="card">
      <div class="card-head">
        <h2>What changed</h2>
        {comparison.regions.length > 0 && <a href="#diff">Go to the text</a>}
      </div>
      {changes === null && (
        <p class="muted">Too much differs for a summary in words. The text below is complete.</p>
      )}
      {changes?.length === 0 && <p class="muted">Nothing.</p>}
      {changes !== null && changes.length > 0 && (
        <ChangeList
          changes={changes}
          linkOf={({ kind, name }) => narrowed(`${kind}/${name}`)}
          most={MOST}
          atOnce={AT_ONCE}
          more={(left) => `and ${left} more, in the text below`}
        />
      )}
    </section>
  )
}
