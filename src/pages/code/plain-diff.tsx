import type { ShownRegion, TextComparison } from './comparison.ts'
import type { CompareQuery } from './compare-query.ts'
import { HunkTable, Path } from './hunk.tsx'
import { countOf } from '../kit/words/count.ts'
import type { RowsOptions } from './rows-html.ts'
import type { BlockRows, Row } from './rows.ts'
import { elementsOf } from './code-html.ts'

/** The limit of elements of a diff; beside it, a page has about two thousand at most. */
const MAX_ELEMENTS = 9_000
/** The elements of a row beside those of its code. */
const FRAME_OF_ROW = 10
const OPTIONS: RowsOptions = { isLong: false, unfold: null, anchors: 'changes' }

export interface PlainDiffProps {
  readonly comparison: TextComparison
  readonly view?: CompareQuery['view']
}

/**
 * The first part of a diff of a document that is not in the history yet, and so has no address. It
 * ends at the row that would be too much for a page.
 */
export function PlainDiff({ comparison, view = 'fitting' }: PlainDiffProps) {
  const { regions, total } = comparison
  const { shown, isCut } = withinLimit(regions)
  const changes = shown.flatMap(({ blocks }) => blocks.map(({ change }) => change ?? 0))
  const left = total - Math.max(0, ...changes)
  return (
    <div class="diff box" id="diff">
      {shown.map((region) => (
        <section class="hunk" id={`h${region.index}`}>
          <div class="row hunk-bar">
            <h3 class="path">
              <Path region={region} />
            </h3>
          </div>
          <HunkTable region={region} view={view} options={OPTIONS} />
        </section>
      ))}
      {(left > 0 || isCut) && <p class="row more-regions muted">{endOf(left)}</p>}
    </div>
  )
}

function endOf(left: number): string {
  if (left === 0) return 'The rest of this change is too long to show here.'
  return countOf(left, 'more change')
}

/** The regions up to the row that exceeds the limit of elements. */
function withinLimit(regions: readonly ShownRegion[]): {
  readonly shown: readonly ShownRegion[]
  readonly isCut: boolean
} {
  let left = MAX_ELEMENTS
  const shown: ShownRegion[] = []
  for (const region of regions) {
    const blocks: BlockRows[] = []
    for (const block of region.blocks) {
      const end = block.rows.findIndex((row) => (left -= elementsOfRow(row)) < 0)
      if (end !== 0) blocks.push(end < 0 ? block : { ...block, rows: block.rows.slice(0, end) })
      if (end >= 0) break
    }
    if (blocks.some(({ change }) => change !== null)) shown.push({ ...region, blocks })
    if (left < 0) return { shown, isCut: true }
  }
  return { shown, isCut: false }
}

function elementsOfRow({ before, after }: Row): number {
  const cells = [before, after].flatMap((cell) => cell ?? [])
  return cells.reduce((sum, cell) => sum + elementsOf(cell), FRAME_OF_ROW)
}
