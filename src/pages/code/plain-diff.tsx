import type { TextComparison } from './comparison.ts'
import { HunkTable, Path } from './hunk.tsx'

const OPTIONS = { isLong: true, unfold: '#diff', isAnchored: true }

/** The first page of a diff of a document that is not in the history yet, and so has no address. */
export function PlainDiff({ comparison }: { comparison: TextComparison }) {
  const { regions, remaining } = comparison
  return (
    <div class="diff" id="diff">
      {regions.map((region) => (
        <section class="hunk" id={`h${region.index}`}>
          <div class="hunk-bar">
            <h3 class="path">
              <Path region={region} />
            </h3>
          </div>
          <HunkTable region={region} view="split" options={OPTIONS} />
        </section>
      ))}
      {remaining > 0 && (
        <p class="more-regions muted">
          {`and ${remaining} more changed ${remaining === 1 ? 'region' : 'regions'}`}
        </p>
      )}
    </div>
  )
}
