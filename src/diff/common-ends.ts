import { type LineRange, LINE_FEED, type Lines, firstStart } from './lines.ts'

/** How many bytes two texts share at their start and end; the two never overlap. */
export interface CommonBytes {
  readonly prefix: number
  readonly suffix: number
}

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

const BLOCK = 4096

/** Compares bytes, a block at a time. */
export function commonBytes(a: Uint8Array, b: Uint8Array): CommonBytes {
  const limit = Math.min(a.length, b.length)
  const prefix = commonPrefix(a, b, limit)
  const tailOfA = a.subarray(prefix + a.length - limit)
  const tailOfB = b.subarray(prefix + b.length - limit)
  return { prefix, suffix: commonSuffix(tailOfA, tailOfB) }
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

/** Where the line of a place begins, or one that is so many lines before it. */
function linesBack(text: Uint8Array, place: number, lines: number): number {
  let start = place
  for (let n = 0; n < lines && start > 0; n += 1) {
    start = start < 2 ? 0 : text.lastIndexOf(LINE_FEED, start - 2) + 1
  }
  return start
}

/** Where the line of a place ends, or one that is so many lines after it. */
function linesOn(text: Uint8Array, place: number, lines: number): number {
  let end = place
  for (let n = 0; n < lines && end < text.length; n += 1) {
    const feed = text.indexOf(LINE_FEED, end)
    end = feed < 0 ? text.length : feed + 1
  }
  return end
}

function commonPrefix(a: Uint8Array, b: Uint8Array, limit: number): number {
  let at = 0
  while (at < limit && sameBlock(a, b, at, Math.min(at + BLOCK, limit))) at += BLOCK
  while (at < limit && a[at] === b[at]) at += 1
  return Math.min(at, limit)
}

/** The length of the common start of two equally long texts. */
function commonSuffix(a: Uint8Array, b: Uint8Array): number {
  let at = a.length
  while (at > 0 && sameBlock(a, b, Math.max(at - BLOCK, 0), at)) at -= BLOCK
  while (at > 0 && a[at - 1] === b[at - 1]) at -= 1
  return a.length - Math.max(at, 0)
}

function sameBlock(a: Uint8Array, b: Uint8Array, start: number, end: number): boolean {
  return Buffer.compare(a.subarray(start, end), b.subarray(start, end)) === 0
}

/** How many lines begin at or after that place. */
function linesFrom(lines: Lines, place: number): number {
  return lines.count - Math.min(firstStart(lines, place), lines.count)
}
