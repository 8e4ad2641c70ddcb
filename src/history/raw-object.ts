import { createHash } from 'node:crypto'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

/** A git object as it is hashed, without its header. */
export interface RawObject {
  readonly type: ObjectType
  readonly content: Uint8Array<ArrayBuffer>
}

/** Reads single objects by the 40 hexadecimal characters of their name. */
export interface RawObjectReader {
  findObject(oid: string): Promise<RawObject | null>
}

/** The name that git gives to an object. */
export function objectName({ type, content }: RawObject): string {
  return createHash('sha1').update(objectHeader({ type, content })).update(content).digest('hex')
}

export function objectHeader({ type, content }: RawObject): Uint8Array {
  return Buffer.from(`${type} ${content.length}\0`, 'latin1')
}
