import type { EditScript } from '../../diff/edit-script.ts'
import type { LineRange } from '../../diff/lines.ts'
import type { DiffPart, PlacedRegion } from './placed-regions.ts'

/** A change as a mark in the overview. */
export interface ChangeMark {
  readonly number: number
  /** The page that shows it, given by the first region of that page. */
  readonly start: number
  /** Its start and its size, as parts of the whole. */
  readonly at: number
  readonly size: number
  readonly kind: 'added' | 'removed' | 'changed'
}

const MAX_MARKS = 400

/** The changes of the regions for an overview; some are left out if there are very many. */
export function marksOf(
  script: EditScript,
  regions: readonly PlacedRegion[],
  parts: readonly DiffPart[],
): ChangeMark[] {
  const total = Math.max(1, script.after.count)
  const every = Math.ceil(script.changes.length / MAX_MARKS)
  const seen = new Set<number>()
  return regions.flatMap(({ region }, n) => {
    const start = parts.findLast((part) => part.start <= n)?.start ?? 0
    return region.blocks.flatMap(({ change, isContinued, before, after }) => {
      if (change === null || isContinued || seen.has(change)) return []
      seen.add(change)
      if ((change - 1) % every !== 0) return []
      const size = (after.end - after.start) / total
      const kind = kindOf(before, after)
      return [{ number: change, start, at: after.start / total, size, kind }]
    })
  })
}

function kindOf(before: LineRange, after: LineRange): ChangeMark['kind'] {
  if (before.start === before.end) return 'added'
  return after.start === after.end ? 'removed' : 'changed'
}
