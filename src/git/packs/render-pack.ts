import { createHash } from 'node:crypto'
import type { ObjectFormat } from '../object-format.ts'
import type { ObjectType } from '../objects/raw-object.ts'
import { DELTA_BY_NAME, PACK_HEADER_BYTES, PACK_TYPES, PACK_VERSION } from './pack-entries.ts'
import { numberBytes } from './pack-number.ts'

const TYPE_NUMBERS = new Map([...PACK_TYPES].map(([number, type]) => [type, number]))

/** A pack of entries, in their order. */
export function renderPack(entries: readonly Uint8Array[], format: ObjectFormat): Buffer {
  const header = Buffer.alloc(PACK_HEADER_BYTES)
  header.write('PACK', 'latin1')
  header.writeUInt32BE(PACK_VERSION, 4)
  header.writeUInt32BE(entries.length, 8)
  const body = Buffer.concat([header, ...entries])
  return Buffer.concat([body, createHash(format.name).update(body).digest()])
}

/** The entry of a whole object of so many bytes, of which these are the compressed ones. */
export function wholeEntry(type: ObjectType, size: number, compressed: Uint8Array): Buffer {
  const number = TYPE_NUMBERS.get(type)
  if (number === undefined) throw new RangeError(`No object of a pack is a ${type}`)
  return entryOf(number, size, [compressed])
}

/** The entry of a delta of so many bytes to the object with this name. */
export function deltaEntry(base: string, size: number, compressed: Uint8Array): Buffer {
  return entryOf(DELTA_BY_NAME, size, [Buffer.from(base, 'hex'), compressed])
}

/** The first byte holds the type above four bits of the size. */
function entryOf(type: number, size: number, rest: readonly Uint8Array[]): Buffer {
  const [first, ...others] = numberBytes(size, 4)
  return Buffer.concat([Buffer.from([first | (type << 4), ...others]), ...rest])
}
