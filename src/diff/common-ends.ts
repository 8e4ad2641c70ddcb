import type { CommonBytes } from '../lib/common-bytes.ts'
import { type LineRange, type Lines, firstStart } from './lines.ts'

/** The lines that differ, once the equal lines at both ends of the two texts are left out. */
export interface ChangedRegion {
  readonly before: LineRange
  readonly after: LineRange
}

/** Leaves out the lines that lie wholly in the common ends. */
export function changedRegion(before: Lines, after: Lines, common: CommonBytes): ChangedRegion {
  const prefix = Math.min(
    firstStart(before, common.prefix + 1) - 1,
    firstStart(after, common.prefix + 1) - 1,
  )
  const suffix = Math.min(
    linesFrom(before, before.bytes.length - common.suffix),
    linesFrom(after, after.bytes.length - common.suffix),
  )
  return {
    before: { start: prefix, end: before.count - suffix },
    after: { start: prefix, end: after.count - suffix },
  }
}

/** The number of lines that begin at or after the place. */
function linesFrom(lines: Lines, place: number): number {
  return lines.count - Math.min(firstStart(lines, place), lines.count)
}
