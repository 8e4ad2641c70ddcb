/** The numbers of bytes that two texts share at their start and end; the two never overlap. */
export interface CommonBytes {
  readonly prefix: number
  readonly suffix: number
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
