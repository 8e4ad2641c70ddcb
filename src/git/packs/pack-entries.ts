import { createHash } from 'node:crypto'
import { type Inflate, inflateSync, type ZlibOptions } from 'node:zlib'
import type { ObjectFormat } from '../object-format.ts'
import { MAX_OBJECT_BYTES } from '../objects/damage.ts'
import { readDistance, readNumber } from './pack-number.ts'
import type { ObjectType } from '../objects/raw-object.ts'

export const DELTA_BY_OFFSET = 6
export const DELTA_BY_NAME = 7
export const PACK_TYPES: ReadonlyMap<number, ObjectType> = new Map([
  [1, 'commit'],
  [2, 'tree'],
  [3, 'blob'],
  [4, 'tag'],
])
/** The name, the version and the number of objects. */
export const PACK_HEADER_BYTES = 12
export const PACK_VERSION = 2

/** An object in a pack: whole, or as a delta. */
export interface PackEntry {
  readonly offset: number
  /**
   * The type of an object, or the base of a delta: the name of an object, or its offset in the
   * pack.
   */
  readonly kind: { readonly type: ObjectType } | { readonly base: string | number }
  /** As they are in the pack. */
  readonly compressed: Uint8Array
  readonly content: Uint8Array<ArrayBuffer>
}

/** The limits of the buffers that an object is inflated into, in bytes. */
const MIN_CHUNK = 64
const MAX_CHUNK = 64 * 1024

interface Inflated {
  readonly buffer: Buffer<ArrayBuffer>
  readonly engine: Inflate
}

/**
 * The objects of a pack in memory, in its order.
 *
 * @throws {RangeError} when it is not a whole pack of git, or has an object that is too large.
 */
export function readPack(pack: Uint8Array, format: ObjectFormat): readonly PackEntry[] {
  const bytes = Buffer.from(pack.buffer, pack.byteOffset, pack.byteLength)
  const end = bytes.length - format.bytes
  if (end < PACK_HEADER_BYTES || bytes.toString('latin1', 0, 4) !== 'PACK') throw damaged()
  if (bytes.readUInt32BE(4) !== PACK_VERSION || !hasItsDigest(bytes, end, format)) throw damaged()
  const entries: PackEntry[] = []
  let at = PACK_HEADER_BYTES
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const { entry, next } = readEntry(bytes.subarray(0, end), at, format)
    entries.push(entry)
    at = next
  }
  if (at !== end) throw damaged()
  return entries
}

function hasItsDigest(bytes: Buffer, end: number, format: ObjectFormat): boolean {
  const digest = createHash(format.name).update(bytes.subarray(0, end)).digest()
  return digest.equals(bytes.subarray(end))
}

function readEntry(
  bytes: Buffer,
  offset: number,
  format: ObjectFormat,
): { entry: PackEntry; next: number } {
  const size = readNumber(bytes, offset, 4)
  if (size.value > MAX_OBJECT_BYTES) throw damaged()
  const { kind, next: start } = readKind(bytes, { offset, at: size.next, format })
  const { content, length } = inflated(bytes.subarray(start), size.value)
  const next = start + length
  return { entry: { offset, kind, compressed: bytes.subarray(start, next), content }, next }
}

function readKind(
  bytes: Buffer,
  { offset, at, format }: { offset: number; at: number; format: ObjectFormat },
) {
  const type = ((bytes[offset] ?? 0) >> 4) & 7
  if (type === DELTA_BY_OFFSET) {
    const { value, next } = readDistance(bytes, at)
    return { kind: { base: offset - value }, next }
  }
  if (type === DELTA_BY_NAME) {
    const next = at + format.bytes
    return { kind: { base: bytes.toString('hex', at, next) }, next }
  }
  const name = PACK_TYPES.get(type)
  if (name === undefined) throw damaged()
  return { kind: { type: name }, next: at }
}

/** The inflated bytes, and the number of compressed bytes. */
function inflated(
  bytes: Uint8Array,
  size: number,
): { content: Uint8Array<ArrayBuffer>; length: number } {
  const { buffer, engine } = inflatedWith(bytes, {
    info: true,
    maxOutputLength: Math.max(size, 1),
    // By default each object keeps a buffer of 16 KB, and a pack may have thousands of small ones.
    chunkSize: Math.min(Math.max(size + 1, MIN_CHUNK), MAX_CHUNK),
  })
  if (buffer.length !== size) throw damaged()
  return { content: buffer, length: engine.bytesWritten }
}

function inflatedWith(bytes: Uint8Array, options: ZlibOptions): Inflated {
  try {
    const result: object = inflateSync(bytes, options)
    if (isInflated(result)) return result
  } catch (error) {
    throw damaged(error)
  }
  throw new TypeError('This Node does not say how many bytes it has read')
}

/** Narrows the result, which is declared as if called without `info`. */
function isInflated(result: object): result is Inflated {
  return 'engine' in result && 'buffer' in result
}

function damaged(cause?: unknown): RangeError {
  return new RangeError('A pack is damaged, or has an object that is too large to be read', {
    cause,
  })
}
