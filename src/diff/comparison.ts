import { randomInt } from 'node:crypto'
import type { Lines } from './lines.ts'

/** Decides whether two lines are equal. */
export interface LineComparison {
  hash(lines: Lines, index: number): number
  equal(lines: Lines, index: number, others: Lines, other: number): boolean
}

/** A random number of this process, so that lines with colliding hashes cannot be prepared. */
const MULTIPLIER = randomInt(2 ** 20, 2 ** 31) | 1

/** Every byte counts. */
export const EXACT: LineComparison = {
  hash({ bytes, words, starts }, index) {
    const end = starts[index + 1] ?? 0
    let hash = 0
    let at = starts[index] ?? 0
    for (; at + 4 <= end; at += 4) {
      hash = Math.imul(hash ^ words.getInt32(at, true), MULTIPLIER)
      hash ^= hash >>> 15
    }
    for (; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), MULTIPLIER)
    return mixed(hash)
  },

  equal(lines, index, others, other) {
    const end = lines.starts[index + 1] ?? 0
    let at = lines.starts[index] ?? 0
    let otherAt = others.starts[other] ?? 0
    if ((others.starts[other + 1] ?? 0) - otherAt !== end - at) return false
    for (; at + 4 <= end; at += 4, otherAt += 4) {
      if (lines.words.getInt32(at, true) !== others.words.getInt32(otherAt, true)) return false
    }
    for (; at < end; at++, otherAt++) {
      if (lines.bytes[at] !== others.bytes[otherAt]) return false
    }
    return true
  },
}

/** Ignores all white space, and a missing last line feed. */
export const WITHOUT_SPACE: LineComparison = {
  hash({ bytes, starts }, index) {
    const end = starts[index + 1] ?? 0
    let hash = 0
    for (let at = skipSpace(bytes, starts[index] ?? 0, end); at < end;) {
      hash = Math.imul(hash ^ (bytes[at] ?? 0), MULTIPLIER)
      at = skipSpace(bytes, at + 1, end)
    }
    return mixed(hash)
  },

  equal(lines, index, others, other) {
    const end = lines.starts[index + 1] ?? 0
    const otherEnd = others.starts[other + 1] ?? 0
    let at = skipSpace(lines.bytes, lines.starts[index] ?? 0, end)
    let otherAt = skipSpace(others.bytes, others.starts[other] ?? 0, otherEnd)
    while (at < end && otherAt < otherEnd && lines.bytes[at] === others.bytes[otherAt]) {
      at = skipSpace(lines.bytes, at + 1, end)
      otherAt = skipSpace(others.bytes, otherAt + 1, otherEnd)
    }
    return at === end && otherAt === otherEnd
  },
}

function skipSpace(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end && isSpace(bytes[at] ?? 0)) at += 1
  return at
}

function isSpace(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === 10 || byte === 13
}

function mixed(hash: number): number {
  const folded = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return folded ^ (folded >>> 13)
}
