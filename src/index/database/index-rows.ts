import { crc32 } from 'node:zlib'
import { numberOfRowId } from './row-ids.ts'

export type DerivedValue = string | number | Uint8Array | null
export type DerivedRow = Readonly<Record<string, unknown>>

/** A row that is not as the index wrote it. */
export class DamagedIndexError extends Error {}

const CHECKSUM_BYTES = 4

/** Bytes with their checksum in front, because SQLite does not notice when a disk changes them. */
export function checked(bytes: Uint8Array): Uint8Array {
  const whole = Buffer.allocUnsafe(CHECKSUM_BYTES + bytes.length)
  whole.writeUInt32LE(crc32(bytes))
  whole.set(bytes, CHECKSUM_BYTES)
  return whole
}

/** @throws {DamagedIndexError} for bytes that are not those of {@link checked}. */
export function checkedIn(row: DerivedRow, column: string): Buffer {
  const bytes = bytesIn(row, column)
  const content = bytes.subarray(CHECKSUM_BYTES)
  if (bytes.length >= CHECKSUM_BYTES && bytes.readUInt32LE() === crc32(content)) return content
  throw new DamagedIndexError(`The column ${column} does not have its checksum`)
}

export function numberIn(row: DerivedRow, column: string): number {
  const value = row[column]
  if (typeof value === 'number') return value
  throw new DamagedIndexError(`The column ${column} holds no number`)
}

export function textIn(row: DerivedRow, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw new DamagedIndexError(`The column ${column} holds no text`)
}

export function bytesIn(row: DerivedRow, column: string): Buffer {
  const value = row[column]
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.length)
  throw new DamagedIndexError(`The column ${column} holds no bytes`)
}

/** The number of the revision of a row that has no other identity. */
export function numberOfRow(row: DerivedRow): number {
  return numberOfRowId(numberIn(row, 'id'))
}
