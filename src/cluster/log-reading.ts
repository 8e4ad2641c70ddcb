import type { LogPack } from '../history/log/revision-log.ts'
import { type SqlQuery, type SqlRow, numberOf } from '../state/sql.ts'
import { baseIn, type BaseRow, packBytesOf } from './log-rows.ts'

/** The number of packs that one statement reads. */
const MANY = 1_000
/** The size of packs that one statement reads, in bytes, unless a single one is larger. */
const READ_BYTES = 16 * 1024 * 1024

const WEIGHTS = `SELECT sequence, SUM(octet_length(bytes)) AS size FROM log_pack WHERE sequence > ?
  GROUP BY sequence ORDER BY sequence LIMIT ${MANY}`
const PARTS = `SELECT sequence, bytes FROM log_pack WHERE sequence > ? AND sequence <= ?
  ORDER BY sequence, part`
const BASE_PART = 'SELECT bytes FROM log_base_part WHERE attempt = ? AND part = ?'

/** The packs after a sequence number, of a log that does not change meanwhile. */
export async function* readPacks(query: SqlQuery, sequence: number): AsyncGenerator<LogPack> {
  const base = await baseIn(query)
  const isOlder = base !== null && sequence < base.sequence
  if (isOlder) yield { kind: 'base', parts: partsOf(query, base) }
  let after = isOlder ? base.sequence : sequence
  for (;;) {
    const until = lastOfNext(await query(WEIGHTS, after))
    if (until === null) return
    yield* packsOf(await query(PARTS, after, until))
    after = until
  }
}

async function* partsOf(query: SqlQuery, base: BaseRow): AsyncGenerator<Uint8Array> {
  for (let part = 0; part < base.parts; part += 1) {
    const rows = await query(BASE_PART, base.attempt, part)
    yield* rows.map(packBytesOf)
  }
}

/** The last of the next packs that are read at once; null when there is none. */
function lastOfNext(rows: readonly SqlRow[]): number | null {
  let [last, size]: [number | null, number] = [null, 0]
  for (const row of rows) {
    size += numberOf(row, 'size')
    if (last !== null && size > READ_BYTES) break
    last = numberOf(row, 'sequence')
  }
  return last
}

/** Puts the parts of each pack together. */
function packsOf(rows: readonly SqlRow[]): readonly LogPack[] {
  const packs = new Map<number, Uint8Array[]>()
  for (const row of rows) {
    const sequence = numberOf(row, 'sequence')
    packs.set(sequence, [...(packs.get(sequence) ?? []), packBytesOf(row)])
  }
  return [...packs.values()].map((parts) => ({ kind: 'entry', bytes: Buffer.concat(parts) }))
}
