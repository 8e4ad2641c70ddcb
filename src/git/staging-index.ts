import { createHash } from 'node:crypto'
import type { ObjectFormat } from './object-format.ts'

/** One path of git's index. Its bytes stay unchanged, unless we replace the entry. */
export interface IndexRow {
  /** As latin1 text, so that names that are not UTF-8 come back byte for byte. */
  readonly path: string
  /** 1 to 3 during a merge, 0 otherwise. */
  readonly stage: number
  /** Times, device, mode, size and object name: the part that all versions have in common. */
  readonly facts: Uint8Array
  readonly flags: number
  /** Flags beyond version 2; null when there are none. */
  readonly moreFlags: number | null
}

/** A part of the index that this code does not know and must not drop. */
export class UnknownIndexError extends Error {
  override readonly name = 'UnknownIndexError'
}

/** Where the name of the object begins, among the facts. */
export const NAME_AT = 40
const MORE_FLAGS = 0x4000
const MAX_NAME_LENGTH = 0xfff

/** The number of bytes with the facts of an entry. */
export function lengthOfFacts(format: ObjectFormat): number {
  return NAME_AT + format.bytes
}

/**
 * Reads an index of version 2, 3 or 4. Optional extensions are dropped.
 *
 * @throws {UnknownIndexError} for any other version, or an extension that is not optional.
 */
export function parseIndex(bytes: Buffer, format: ObjectFormat): readonly IndexRow[] {
  if (bytes.length < 12 + format.bytes || bytes.toString('latin1', 0, 4) !== 'DIRC') {
    throw new UnknownIndexError('The index has no header')
  }
  const version = bytes.readUInt32BE(4)
  if (version < 2 || version > 4) throw new UnknownIndexError(`The index has version ${version}`)
  const rows: IndexRow[] = []
  const length = lengthOfFacts(format)
  let at = 12
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const read = parseRow(bytes, { at, version, before: rows.at(-1)?.path ?? '', length })
    rows.push(read.row)
    at = read.next
  }
  assertOptional(bytes.subarray(at, -format.bytes))
  return rows
}

/** Whether a power cut has left only a part of an index, which git refuses to read. */
export function isTornIndex(bytes: Buffer, format: ObjectFormat): boolean {
  if (bytes.length < 12 + format.bytes || bytes.toString('latin1', 0, 4) !== 'DIRC') return true
  const [body, digest] = [bytes.subarray(0, -format.bytes), bytes.subarray(-format.bytes)]
  // Git leaves the digest out where `index.skipHash` is set.
  if (digest.every((byte) => byte === 0)) return !hasNames(bytes, format)
  return !createHash(format.name).update(body).digest().equals(digest)
}

/** Writes version 2, or 3 when an entry needs it. Entries are sorted as git wants them. */
export function renderIndex(
  rows: readonly IndexRow[],
  format: ObjectFormat,
): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(12)
  header.write('DIRC', 'latin1')
  header.writeUInt32BE(rows.some(({ moreFlags }) => moreFlags !== null) ? 3 : 2, 4)
  header.writeUInt32BE(rows.length, 8)
  const body = Buffer.concat([header, ...rows.toSorted(compareRows).map(renderRow)])
  return Buffer.concat([body, createHash(format.name).update(body).digest()])
}

interface Place {
  readonly at: number
  readonly version: number
  /** The previous path: version 4 writes only the difference. */
  readonly before: string
  /** The number of bytes of its facts. */
  readonly length: number
}

function parseRow(bytes: Buffer, place: Place): { row: IndexRow; next: number } {
  const { at, version, before, length } = place
  const flags = bytes.readUInt16BE(at + length)
  const more = (flags & MORE_FLAGS) !== 0 && version > 2
  const start = at + length + (more ? 4 : 2)
  const { path, next } =
    version === 4 ? compressedPath(bytes, start, before) : paddedPath(bytes, { at, start })
  const facts = bytes.subarray(at, at + length)
  const moreFlags = more ? bytes.readUInt16BE(at + length + 2) : null
  return { row: { path, stage: (flags >> 12) & 3, facts, flags, moreFlags }, next }
}

function hasNames(bytes: Buffer, format: ObjectFormat): boolean {
  try {
    return parseIndex(bytes, format).every(({ path }) => path !== '')
  } catch (error) {
    if (error instanceof RangeError) return false
    if (error instanceof UnknownIndexError) return true
    throw error
  }
}

function paddedPath(
  bytes: Buffer,
  { at, start }: { at: number; start: number },
): { path: string; next: number } {
  const end = endOfPath(bytes, start)
  return { path: bytes.toString('latin1', start, end), next: at + padded(end - at) }
}

function compressedPath(
  bytes: Buffer,
  start: number,
  before: string,
): { path: string; next: number } {
  let at = start
  let byte = bytes.readUInt8(at++)
  let dropped = byte & 127
  while (byte & 128) {
    byte = bytes.readUInt8(at++)
    dropped = ((dropped + 1) << 7) | (byte & 127)
  }
  const end = endOfPath(bytes, at)
  const prefix = before.slice(0, before.length - dropped)
  return { path: prefix + bytes.toString('latin1', at, end), next: end + 1 }
}

function endOfPath(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(0, start)
  if (end < 0) throw new UnknownIndexError('The index is cut short')
  return end
}

/** An extension whose name begins with a small letter changes the meaning of entries. */
function assertOptional(bytes: Buffer): void {
  for (let at = 0; at + 8 <= bytes.length; at += 8 + bytes.readUInt32BE(at + 4)) {
    const name = bytes.toString('latin1', at, at + 4)
    if (!/^[A-Z]/.test(name)) throw new UnknownIndexError(`The index has a part ${name}`)
  }
}

function renderRow({ path, facts, flags, moreFlags }: IndexRow): Buffer {
  const name = Buffer.from(path, 'latin1')
  const length = Math.min(name.length, MAX_NAME_LENGTH)
  const start = facts.length + (moreFlags === null ? 2 : 4)
  const row = Buffer.alloc(padded(start + name.length))
  row.set(facts)
  row.writeUInt16BE(
    (flags & 0x8000) | (flags & 0x3000) | (moreFlags === null ? 0 : MORE_FLAGS) | length,
    facts.length,
  )
  if (moreFlags !== null) row.writeUInt16BE(moreFlags, facts.length + 2)
  row.set(name, start)
  return row
}

/** Room for at least one NUL, up to a multiple of eight. */
function padded(length: number): number {
  return (length + 8) & ~7
}

function compareRows(a: IndexRow, b: IndexRow): number {
  if (a.path === b.path) return a.stage - b.stage
  return a.path < b.path ? -1 : 1
}
