import { LARGEST_OBJECT } from '../objects/damage.ts'
import { readNumber } from './pack-number.ts'

/** A copy of this length is written as one of none. */
const LONGEST_COPY = 0x10000

/**
 * The content that a delta makes of its base.
 *
 * @throws {RangeError} when it is no delta of this base, or what it makes is too large to be read.
 */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array<ArrayBuffer> {
  const before = readNumber(delta, 0, 7)
  const after = readNumber(delta, before.next, 7)
  if (before.value !== base.length || after.value > LARGEST_OBJECT) throw damaged()
  const made = new Uint8Array(after.value)
  let [at, filled] = [after.next, 0]
  while (at < delta.length) {
    const piece = readPiece(base, delta, at)
    if (filled + piece.bytes.length > made.length) throw damaged()
    made.set(piece.bytes, filled)
    filled += piece.bytes.length
    at = piece.next
  }
  if (filled !== made.length) throw damaged()
  return made
}

/** A part of the base, or of the delta itself. */
function readPiece(base: Uint8Array, delta: Uint8Array, at: number) {
  const instruction = delta[at] ?? 0
  if (instruction === 0) throw damaged()
  if ((instruction & 0x80) !== 0) return readCopy(base, delta, at)
  const next = at + 1 + instruction
  if (next > delta.length) throw damaged()
  return { bytes: delta.subarray(at + 1, next), next }
}

/** Four bits say which bytes of the start follow, three which of the length. */
function readCopy(base: Uint8Array, delta: Uint8Array, at: number) {
  const instruction = delta[at] ?? 0
  let next = at + 1
  const numberOf = (bits: number, shift: number): number => {
    let value = 0
    for (let bit = 0; bit < bits; bit += 1) {
      if ((instruction & (1 << (shift + bit))) !== 0) value += (delta[next++] ?? 0) * 2 ** (8 * bit)
    }
    return value
  }
  const start = numberOf(4, 0)
  const length = numberOf(3, 4) || LONGEST_COPY
  if (start + length > base.length) throw damaged()
  return { bytes: base.subarray(start, start + length), next }
}

function damaged(): RangeError {
  return new RangeError('A delta of a pack does not fit its base')
}
