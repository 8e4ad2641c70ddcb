import { type CommonBytes, commonBytes } from '../lib/common-bytes.ts'
import { type LineRange, LINE_FEED, type Lines, firstStart } from './lines.ts'

/** Two texts that are compared. */
export interface BothTexts {
  readonly before: Uint8Array
  readonly after: Uint8Array
}

/** The lines that differ, once the equal lines at both ends of the two texts are left out. */
export interface ChangedRegion {
  readonly before: LineRange
  readonly after: LineRange
}

/**
 * Two texts without the whole lines that are equal at their ends, but for `context` lines and the
 * one that they begin to differ in.
 */
export function withoutCommonEnds(a: Uint8Array, b: Uint8Array, context: number): BothTexts {
  const { prefix, suffix } = commonBytes(a, b)
  const start = linesBack(a, prefix, context + 1)
  const end = linesOn(a, a.length - suffix, context + 1) - a.length
  return { before: a.subarray(start, a.length + end), after: b.subarray(start, b.length + end) }
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

/** The start of the line at a place, or of one some lines before it. */
function linesBack(text: Uint8Array, place: number, lines: number): number {
  let start = place
  for (let n = 0; n < lines && start > 0; n += 1) {
    start = start < 2 ? 0 : text.lastIndexOf(LINE_FEED, start - 2) + 1
  }
  return start
}

/** The end of the line at a place, or of one some lines after it. */
function linesOn(text: Uint8Array, place: number, lines: number): number {
  let end = place
  for (let n = 0; n < lines && end < text.length; n += 1) {
    const feed = text.indexOf(LINE_FEED, end)
    end = feed < 0 ? text.length : feed + 1
  }
  return end
}

/** The number of lines that begin at or after the place. */
function linesFrom(lines: Lines, place: number): number {
  return lines.count - Math.min(firstStart(lines, place), lines.count)
}
