import nodeFs, { type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { constants, inflateSync } from 'node:zlib'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { SHA1 } from '../object-format.ts'
import { DELTA_BY_NAME, DELTA_BY_OFFSET } from './pack-entries.ts'
import { readNumber } from './pack-number.ts'

const MAGIC = 0xff744f63
const VERSION = 2
const FANOUT = 8
const NAMES = FANOUT + 256 * 4
const OID_BYTES = SHA1.bytes
const CRC_BYTES = 4
const OFFSET_BYTES = 4
/** An offset with this bit is the place of a longer one. */
const IS_LONG = 0x80000000

/** So many bytes certainly hold the header of an object, and that of a delta. */
const HEAD = 1_024

/** Finds how large the objects in packs are, by their indexes and a few bytes of the packs. */
export class PackedSizes {
  readonly #folder: string
  #indexes = new Map<string, Buffer>()

  constructor(gitDir: string) {
    this.#folder = join(gitDir, 'objects', 'pack')
  }

  /**
   * The size of an object, or of what it is a delta to where that is larger. Null when no pack has
   * it, or the pack is not as git writes it.
   */
  async find(oid: string): Promise<number | null> {
    const names = (await orNullWhenAbsent(nodeFs.readdir(this.#folder))) ?? []
    for (const name of names) {
      if (name.startsWith('.') || !name.endsWith('.idx')) continue
      const index = await this.#read(name)
      const offset = index === null ? null : offsetIn(index, oid)
      if (offset !== null) return this.#sizeAt(name.replace(/idx$/, 'pack'), offset)
    }
    return null
  }

  /** Forgets the indexes, which git replaces. */
  renew(): void {
    this.#indexes = new Map()
  }

  async #read(name: string): Promise<Buffer | null> {
    const known = this.#indexes.get(name)
    if (known !== undefined) return known
    const index = await orNullWhenAbsent(nodeFs.readFile(join(this.#folder, name)))
    if (index !== null) this.#indexes.set(name, index)
    return index
  }

  async #sizeAt(pack: string, offset: number): Promise<number | null> {
    const handle = await orNullWhenAbsent(nodeFs.open(join(this.#folder, pack)))
    if (handle === null) return null
    try {
      return sizeIn(await readHead(handle, offset))
    } finally {
      await handle.close()
    }
  }
}

async function readHead(handle: FileHandle, offset: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD), 0, HEAD, offset)
  return buffer.subarray(0, bytesRead)
}

function offsetIn(index: Buffer, oid: string): number | null {
  if (index.length < NAMES || index.readUInt32BE(0) !== MAGIC || index.readUInt32BE(4) !== VERSION)
    return null
  const name = Buffer.from(oid, 'hex')
  const first = name[0] ?? 0
  const count = index.readUInt32BE(FANOUT + 255 * 4)
  let low = first === 0 ? 0 : index.readUInt32BE(FANOUT + (first - 1) * 4)
  let high = index.readUInt32BE(FANOUT + first * 4)
  while (low < high) {
    const middle = (low + high) >>> 1
    const at = NAMES + middle * OID_BYTES
    const order = index.compare(name, 0, OID_BYTES, at, at + OID_BYTES)
    if (order === 0) return offsetOf(index, middle, count)
    if (order < 0) low = middle + 1
    else high = middle
  }
  return null
}

function offsetOf(index: Buffer, place: number, count: number): number {
  const offsets = NAMES + count * (OID_BYTES + CRC_BYTES)
  const offset = index.readUInt32BE(offsets + place * OFFSET_BYTES)
  if (offset < IS_LONG) return offset
  const long = offsets + count * OFFSET_BYTES + (offset - IS_LONG) * 8
  return Number(index.readBigUInt64BE(long))
}

/** The size in the header of an object in a pack; of a delta, the larger one of before and after. */
function sizeIn(head: Buffer): number | null {
  const type = ((head[0] ?? 0) >> 4) & 7
  const { value, next } = readNumber(head, 0, 4)
  if (type !== DELTA_BY_OFFSET && type !== DELTA_BY_NAME) return value
  const start = type === DELTA_BY_NAME ? next + OID_BYTES : readNumber(head, next, 7).next
  const delta = inflateStart(head.subarray(start))
  if (delta === null) return null
  const before = readNumber(delta, 0, 7)
  return Math.max(before.value, readNumber(delta, before.next, 7).value)
}

/** The beginning of compressed bytes, as far as they go; null when they are damaged. */
export function inflateStart(bytes: Uint8Array): Buffer | null {
  try {
    return inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    return null
  }
}
