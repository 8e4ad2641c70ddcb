import { CommitSha } from '../core/revision.ts'
import type { LogEntry } from '../history/log/revision-log.ts'
import { type SqlQuery, type SqlRow, numberOf, textColumn } from '../state/sql.ts'

/** A value of the database has at most 1 GB, and is held in memory as a whole. */
export const PART_BYTES = 8 * 1024 * 1024

/** The base of the log; its parts are from one attempt. */
export interface BaseRow {
  readonly sequence: number
  readonly attempt: string
  readonly parts: number
  readonly size: number
}

const HEAD = 'SELECT sequence, commit_sha FROM log_entry ORDER BY sequence DESC LIMIT 1'
const BASE = 'SELECT sequence, attempt, parts, size FROM log_base'

/** The newest entry; null while the log is empty. */
export async function headIn(query: SqlQuery): Promise<LogEntry | null> {
  const [row] = await query(HEAD)
  return row === undefined ? null : entryOf(row)
}

/** Null for a log that has all its entries still. */
export async function baseIn(query: SqlQuery): Promise<BaseRow | null> {
  const [row] = await query(BASE)
  if (row === undefined) return null
  const [sequence, parts] = [numberOf(row, 'sequence'), numberOf(row, 'parts')]
  return { sequence, parts, attempt: textColumn(row, 'attempt'), size: numberOf(row, 'size') }
}

export function entryOf(row: SqlRow): LogEntry {
  const commit = CommitSha.parse(textColumn(row, 'commit_sha'))
  return { sequence: numberOf(row, 'sequence'), commit }
}

export function packBytesOf({ bytes }: SqlRow): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes
  throw new TypeError(`A pack of the log is ${typeof bytes}, not bytes`)
}
