import nodeFs, { type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { constants, inflateSync } from 'node:zlib'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { SHA1 } from '../object-format.ts'
import { DELTA_BY_NAME, DELTA_BY_OFFSET } from './pack-entries.ts'
import { findInPackIndex } from './pack-index.ts'
import { readNumber } from './pack-number.ts'

const OID_BYTES = SHA1.bytes
/** Enough bytes for the header of an object, and of a delta. */
const HEAD = 1_024

/** Finds how large the objects in packs are, by their indexes and a few bytes of the packs. */
export class PackedSizes {
  readonly #folder: string
  #indexes = new Map<string, Buffer>()

  constructor(gitDir: string) {
    this.#folder = join(gitDir, 'objects', 'pack')
  }

  /**
   * The size of an object, or of the base of a delta when that is larger. Null when no pack has it,
   * or the pack is not in the form that git writes.
   */
  async find(oid: string): Promise<number | null> {
    const names = (await orNullWhenAbsent(nodeFs.readdir(this.#folder))) ?? []
    for (const name of names) {
      if (name.startsWith('.') || !name.endsWith('.idx')) continue
      const index = await this.#read(name)
      const offset = index === null ? null : findInPackIndex(index, oid, SHA1)
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
