import { createHash } from 'node:crypto'
import { memoize } from '../../lib/memoize.ts'
import { type ObjectFormat, SHA1, SHA256 } from '../object-format.ts'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

/** A git object as it is hashed, without its header. */
export interface RawObject {
  readonly type: ObjectType
  readonly content: Uint8Array<ArrayBuffer>
}

/** An object with its name in hexadecimal characters. */
export interface NamedObject extends RawObject {
  readonly oid: string
}

/** Reads single objects of one repository by the hexadecimal characters of their name. */
export interface RawObjectReader {
  /** How the repository names its objects. */
  readonly format: ObjectFormat
  findObject(oid: string): Promise<RawObject | null>
}

/** A save names its document in several places, and hashing a large one takes long. */
const blobNames = {
  sha1: memoize((content: Uint8Array) => nameOf('blob', content, SHA1)),
  sha256: memoize((content: Uint8Array) => nameOf('blob', content, SHA256)),
}

/** The name that git gives to an object, whose content must not change. */
export function objectName({ type, content }: RawObject, format: ObjectFormat): string {
  return type === 'blob' ? blobName(content, format) : nameOf(type, content, format)
}

export function named(object: RawObject, format: ObjectFormat): NamedObject {
  return { ...object, oid: objectName(object, format) }
}

/** The name that git gives to the content of a file, which must not change. */
export function blobName(content: Uint8Array, format: ObjectFormat): string {
  return blobNames[format.name](content)
}

export function objectHeader(type: ObjectType, length: number): Uint8Array {
  return Buffer.from(`${type} ${length}\0`, 'latin1')
}

function nameOf(type: ObjectType, content: Uint8Array, format: ObjectFormat): string {
  const hash = createHash(format.name).update(objectHeader(type, content.length))
  return hash.update(content).digest('hex')
}
