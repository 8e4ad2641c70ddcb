import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { ObjectFormat } from '../object-format.ts'

/** An entry of a pack, as its index finds it. */
export interface PlacedEntry {
  readonly oid: string
  readonly bytes: Uint8Array
  /** Where it begins in the pack. */
  readonly offset: number
}

const MAGIC = 0xff744f63
const VERSION = 2
const FANOUT = 8
const NAMES = FANOUT + 256 * 4
const CRC_BYTES = 4
const OFFSET_BYTES = 4
/** An offset with this bit is the place of a longer one. */
const IS_LONG = 0x80000000

/**
 * The index of a pack with this digest, as git's format version 2 has it.
 *
 * @throws {RangeError} for a pack of 2 GiB and more.
 */
export function renderPackIndex(
  entries: readonly PlacedEntry[],
  pack: Uint8Array,
  format: ObjectFormat,
): Buffer {
  if (entries.some(({ offset }) => offset >= IS_LONG)) throw new RangeError('The pack is too large')
  const sorted = entries.toSorted((one, other) => (one.oid < other.oid ? -1 : 1))
  const [start, fanout] = [numbers([MAGIC, VERSION]), numbers(countsByFirstByte(sorted))]
  const names = sorted.map(({ oid }) => Buffer.from(oid, 'hex'))
  const checksums = numbers(sorted.map(({ bytes }) => crc32(bytes)))
  const offsets = numbers(sorted.map(({ offset }) => offset))
  const body = Buffer.concat([start, fanout, ...names, checksums, offsets, pack])
  return Buffer.concat([body, createHash(format.name).update(body).digest()])
}

/** Where an object begins in the pack of an index; null when it is not there, or it is no index. */
export function findInPackIndex(
  index: Buffer,
  oid: string,
  { bytes: nameBytes }: ObjectFormat,
): number | null {
  if (index.length < NAMES || index.readUInt32BE(0) !== MAGIC || index.readUInt32BE(4) !== VERSION)
    return null
  const name = Buffer.from(oid, 'hex')
  const first = name[0] ?? 0
  const count = index.readUInt32BE(FANOUT + 255 * 4)
  let low = first === 0 ? 0 : index.readUInt32BE(FANOUT + (first - 1) * 4)
  let high = index.readUInt32BE(FANOUT + first * 4)
  while (low < high) {
    const middle = (low + high) >>> 1
    const at = NAMES + middle * nameBytes
    const order = index.compare(name, 0, nameBytes, at, at + nameBytes)
    if (order === 0) return offsetOf(index, middle, NAMES + count * (nameBytes + CRC_BYTES), count)
    if (order < 0) low = middle + 1
    else high = middle
  }
  return null
}

function offsetOf(index: Buffer, place: number, offsets: number, count: number): number {
  const offset = index.readUInt32BE(offsets + place * OFFSET_BYTES)
  if (offset < IS_LONG) return offset
  const long = offsets + count * OFFSET_BYTES + (offset - IS_LONG) * 8
  return Number(index.readBigUInt64BE(long))
}

/** For each value of the first byte, the number of names with this value or a lower one. */
function countsByFirstByte(sorted: readonly PlacedEntry[]): readonly number[] {
  const counts = Array.from({ length: 256 }, () => 0)
  for (const { oid } of sorted) {
    const first = Number.parseInt(oid.slice(0, 2), 16)
    counts[first] = (counts[first] ?? 0) + 1
  }
  let sum = 0
  return counts.map((count) => (sum += count))
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, n) => bytes.writeUInt32BE(value, n * 4))
  return bytes
}
