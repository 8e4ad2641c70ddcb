import { type SqlQuery, numberOf } from '../state/sql.ts'
import { baseIn, headIn } from './log-rows.ts'

const SPAN = 'SELECT MIN(sequence) AS first, COUNT(*) AS n FROM log_entry'
/** Entries after the base without a pack, and packs whose parts are not numbered from 0. */
const BROKEN_PACKS = `SELECT entry.sequence FROM log_entry entry
  LEFT JOIN log_pack pack ON pack.sequence = entry.sequence WHERE entry.sequence > ?
  GROUP BY entry.sequence HAVING COUNT(pack.part) = 0 OR MAX(pack.part) + 1 <> COUNT(pack.part)
  ORDER BY entry.sequence LIMIT 1`
const STRAY_PACKS = `SELECT sequence FROM log_pack WHERE sequence <= ?
  OR sequence NOT IN (SELECT sequence FROM log_entry) ORDER BY sequence LIMIT 1`
const BASE_PARTS = `SELECT COUNT(*) AS n, COALESCE(SUM(octet_length(bytes)), 0) AS size
  FROM log_base_part WHERE attempt = ?`

/** Finds faults in the rows of the log, a sentence each. */
export async function findLogFaults(query: SqlQuery): Promise<readonly string[]> {
  const head = await headIn(query)
  if (head === null) return []
  const faults: string[] = []
  const base = await baseIn(query)
  const [span] = await query(SPAN)
  if (numberOf(span, 'first') + numberOf(span, 'n') - 1 !== head.sequence) {
    faults.push(`The log lacks entries before the newest one, which is ${head.sequence}`)
  }
  if (base !== null) {
    const [parts] = await query(BASE_PARTS, base.attempt)
    const isWhole = numberOf(parts, 'n') === base.parts && numberOf(parts, 'size') === base.size
    if (!isWhole) faults.push(`The base of the log, at entry ${base.sequence}, is not whole`)
  }
  const after = base?.sequence ?? 0
  for (const row of await query(BROKEN_PACKS, after)) {
    faults.push(`The pack of entry ${numberOf(row, 'sequence')} of the log is not whole`)
  }
  for (const row of await query(STRAY_PACKS, after)) {
    faults.push(`The log has a pack of entry ${numberOf(row, 'sequence')}, and not that entry`)
  }
  return faults
}
