/** A text cut into lines. A line ends with its line feed; only the last one may lack it. */
export interface Lines {
  readonly bytes: Uint8Array
  readonly count: number
  /** Where each line begins, and after the last line the length of the text. */
  readonly starts: Int32Array
}

/** Lines `start` up to, and without, `end`, counted from 0. */
export interface LineRange {
  readonly start: number
  readonly end: number
}

export const LINE_FEED = 10

export function splitLines(bytes: Uint8Array): Lines {
  let starts = new Int32Array((bytes.length >> 4) + 64)
  let count = 0
  for (let at = 0; at < bytes.length; at = lineEnd(bytes, at)) {
    if (count + 2 > starts.length) starts = doubled(starts)
    starts[count] = at
    count += 1
  }
  starts[count] = bytes.length
  return { bytes, count, starts: starts.subarray(0, count + 1) }
}

/** The bytes of some lines, as a view. */
export function bytesOf(lines: Lines, { start, end }: LineRange): Uint8Array {
  return lines.bytes.subarray(lines.starts[start], lines.starts[end])
}

function lineEnd(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== LINE_FEED) at += 1
  return Math.min(at + 1, bytes.length)
}

function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}
