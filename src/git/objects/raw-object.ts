import { createHash } from 'node:crypto'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

/** A git object as it is hashed, without its header. */
export interface RawObject {
  readonly type: ObjectType
  readonly content: Uint8Array<ArrayBuffer>
}

/** An object with the 40 hexadecimal characters of its name. */
export interface NamedObject extends RawObject {
  readonly oid: string
}

/** Reads single objects by the 40 hexadecimal characters of their name. */
export interface RawObjectReader {
  findObject(oid: string): Promise<RawObject | null>
}

/** The name that git gives to an object. */
export function objectName({ type, content }: RawObject): string {
  return nameOf(type, content)
}

export function named(object: RawObject): NamedObject {
  return { ...object, oid: objectName(object) }
}

/** The name that git gives to the content of a file. */
export function blobName(content: Uint8Array): string {
  return nameOf('blob', content)
}

export function objectHeader(type: ObjectType, length: number): Uint8Array {
  return Buffer.from(`${type} ${length}\0`, 'latin1')
}

function nameOf(type: ObjectType, content: Uint8Array): string {
  const hash = createHash('sha1').update(objectHeader(type, content.length))
  return hash.update(content).digest('hex')
}
