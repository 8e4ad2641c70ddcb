import { commonBytes } from '../../lib/common-bytes.ts'
import { MAX_OBJECT_BYTES } from '../objects/damage.ts'
import { numberBytes, readNumber } from './pack-number.ts'

/** A copy of this length is written as one of none. */
const UNWRITTEN_COPY = 0x10000
const MAX_COPY_LENGTH = 0xffffff
const MAX_INSERT_LENGTH = 0x7f
/** Git takes no delta of less than four bytes. */
const WORTH_A_DELTA = 64

/**
 * Applies a delta to its base.
 *
 * @throws {RangeError} when it is no delta of this base, or what it makes is too large to be read.
 */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array<ArrayBuffer> {
  const before = readNumber(delta, 0, 7)
  const after = readNumber(delta, before.next, 7)
  if (before.value !== base.length || after.value > MAX_OBJECT_BYTES) throw damaged()
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

/**
 * A delta from one content to another that copies their common ends. Null when they share less than
 * half, or a delta would save nothing.
 */
export function renderDelta(base: Uint8Array, content: Uint8Array): Uint8Array | null {
  if (content.length < WORTH_A_DELTA) return null
  const { prefix, suffix } = commonBytes(base, content)
  const middle = content.subarray(prefix, content.length - suffix)
  if (middle.length * 2 > content.length) return null
  const sizes = Buffer.from([...numberBytes(base.length, 7), ...numberBytes(content.length, 7)])
  const start = copiesOf(0, prefix)
  const end = copiesOf(base.length - suffix, suffix)
  return Buffer.concat([sizes, ...start, ...insertsOf(middle), ...end])
}

function copiesOf(start: number, length: number): readonly Buffer[] {
  const copies: Buffer[] = []
  for (let at = 0; at < length; at += MAX_COPY_LENGTH) {
    const copy = Buffer.alloc(8)
    copy.writeUInt8(0xff, 0)
    copy.writeUInt32LE(start + at, 1)
    copy.writeUIntLE(Math.min(MAX_COPY_LENGTH, length - at), 5, 3)
    copies.push(copy)
  }
  return copies
}

function insertsOf(bytes: Uint8Array): readonly Uint8Array[] {
  const inserts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += MAX_INSERT_LENGTH) {
    const piece = bytes.subarray(at, at + MAX_INSERT_LENGTH)
    inserts.push(Buffer.from([piece.length]), piece)
  }
  return inserts
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
  const length = numberOf(3, 4) || UNWRITTEN_COPY
  if (start + length > base.length) throw damaged()
  return { bytes: base.subarray(start, start + length), next }
}

function damaged(): RangeError {
  return new RangeError('A delta of a pack does not fit its base')
}
