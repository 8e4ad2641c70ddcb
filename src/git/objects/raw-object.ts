import { createHash } from 'node:crypto'
import { runSync } from '../../lib/cooperative.ts'
import { hashInSteps } from '../../lib/hash-in-steps.ts'
import type { ObjectFormat } from '../object-format.ts'

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
  sha1: new WeakMap<Uint8Array, string>(),
  sha256: new WeakMap<Uint8Array, string>(),
}

/** The name that git gives to an object, whose content must not change. */
export function objectName({ type, content }: RawObject, format: ObjectFormat): string {
  if (type === 'blob') return blobName(content, format)
  return createHash(format.name)
    .update(objectHeader(type, content.length))
    .update(content)
    .digest('hex')
}

export function named(object: RawObject, format: ObjectFormat): NamedObject {
  return { ...object, oid: objectName(object, format) }
}

/** The name that git gives to the content of a file, which must not change. */
export function blobName(content: Uint8Array, format: ObjectFormat): string {
  return runSync(blobNameInSteps(content, format))
}

/** The same in steps: the content of a large file would hold others up. */
export function* blobNameInSteps(
  content: Uint8Array,
  format: ObjectFormat,
): Generator<void, string> {
  const known = blobNames[format.name].get(content)
  if (known !== undefined) return known
  const name = yield* hashInSteps(
    { algorithm: format.name, header: objectHeader('blob', content.length) },
    content,
  )
  blobNames[format.name].set(content, name)
  return name
}

export function objectHeader(type: ObjectType, length: number): string {
  return `${type} ${length}\0`
}
