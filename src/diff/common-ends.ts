import type { LineRange, Lines } from './lines.ts'

/** The lines that differ, once the equal lines at both ends of the two texts are left out. */
export interface Region {
  readonly before: LineRange
  readonly after: LineRange
}

const BLOCK = 4096

/** Leaves out the equal ends. The comparison runs over bytes, a block at a time. */
export function changedRegion(before: Lines, after: Lines): Region {
  const prefixBytes = commonPrefix(before.bytes, after.bytes)
  const prefix = Math.min(linesWithin(before, prefixBytes), linesWithin(after, prefixBytes))
  const suffixBytes = commonSuffix(before.bytes, after.bytes)
  const suffix = Math.min(
    linesFrom(before, before.bytes.length - suffixBytes),
    linesFrom(after, after.bytes.length - suffixBytes),
    before.count - prefix,
    after.count - prefix,
  )
  return {
    before: { start: prefix, end: before.count - suffix },
    after: { start: prefix, end: after.count - suffix },
  }
}

function commonPrefix(a: Uint8Array, b: Uint8Array): number {
  const limit = Math.min(a.length, b.length)
  let at = 0
  while (at < limit && sameBlock(a, b, at, Math.min(at + BLOCK, limit))) at += BLOCK
  while (at < limit && a[at] === b[at]) at += 1
  return Math.min(at, limit)
}

function commonSuffix(a: Uint8Array, b: Uint8Array): number {
  const limit = Math.min(a.length, b.length)
  const tailOfA = a.subarray(a.length - limit)
  const tailOfB = b.subarray(b.length - limit)
  let at = limit
  while (at > 0 && sameBlock(tailOfA, tailOfB, Math.max(at - BLOCK, 0), at)) at -= BLOCK
  while (at > 0 && tailOfA[at - 1] === tailOfB[at - 1]) at -= 1
  return limit - Math.max(at, 0)
}

function sameBlock(a: Uint8Array, b: Uint8Array, start: number, end: number): boolean {
  return Buffer.compare(a.subarray(start, end), b.subarray(start, end)) === 0
}

/** How many whole lines end at or before that place. */
function linesWithin(lines: Lines, place: number): number {
  return firstStart(lines, place + 1) - 1
}

/** How many lines begin at or after that place. */
function linesFrom(lines: Lines, place: number): number {
  return lines.count - Math.min(firstStart(lines, place), lines.count)
}

/** The first entry of the table of starts that is not before that place. */
function firstStart({ starts }: Lines, place: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) < place) low = middle + 1
    else high = middle
  }
  return low
}
