import type { AuditShare } from '../core/service/audit.ts'
import { unavailable } from '../core/errors.ts'
import { CommitSha } from '../core/revision.ts'
import type {
  LogAppend,
  LogBase,
  LogEntry,
  LogPack,
  LogWeight,
  RevisionLog,
} from '../history/log/revision-log.ts'
import type { RefLog, RefLogEntry } from '../history/log/ref-log.ts'
import { auditText } from '../state/audit-log.ts'
import { wasRefused } from '../state/postgres-errors.ts'
import type { Fence } from '../state/postgres-driver.ts'
import { type Driver, type SqlQuery, numberOf, type SqlRow, textColumn } from '../state/sql.ts'
import { rebase } from './log-rebase.ts'
import { baseIn, entryOf, headIn, PART_BYTES, type BaseRow, packBytesOf } from './log-rows.ts'
import { groupBy } from '../lib/grouping.ts'
import { z } from 'zod'

/** The number of commits, or of packs, in one statement. */
const MANY = 1_000

const SIZE = 'SELECT COALESCE(SUM(octet_length(bytes)), 0) AS size FROM log_pack'

/** The log of the configuration's branch in PostgreSQL: one transaction for each move. */
export class PostgresLog implements RevisionLog {
  readonly refs: RefLog
  readonly #driver: Driver
  readonly #fence: Fence

  /** A base is made by the server that the fence lets through; every server may append. */
  constructor(driver: Driver, fence: Fence = async () => undefined) {
    this.#driver = driver
    this.#fence = fence
    this.refs = new PostgresRefLog(driver)
  }

  head(): Promise<LogEntry | null> {
    return headIn(this.#driver.query)
  }

  async findNewest(commits: readonly CommitSha[]): Promise<LogEntry | null> {
    for (let start = 0; start < commits.length; start += MANY) {
      const some = commits.slice(start, start + MANY)
      const found = await newestIn(this.#driver.query, some)
      if (found !== null) return found
    }
    return null
  }

  /** Reads all packs in one transaction, so that a new base in between changes nothing. */
  async *packsAfter(sequence: number): AsyncGenerator<LogPack> {
    await using snapshot = await this.#driver.snapshot()
    yield* readPacks(snapshot.query, sequence)
  }

  async append(move: LogAppend): Promise<number | null> {
    const { query } = this.#driver
    try {
      return await appendIn(query, move)
    } catch (error) {
      if (wasRefused(error)) throw error
      // The connection may be lost after the commit; an entry that is already there is not appended
      // again.
      return await appendIn(query, move).catch((cause: unknown) => {
        throw unavailable(
          `The database went away: whether commit ${move.to} was saved is known when it is back`,
          cause,
        )
      })
    }
  }

  async weigh(): Promise<LogWeight | null> {
    await using snapshot = await this.#driver.snapshot()
    const head = await headIn(snapshot.query)
    if (head === null) return null
    const base = await baseIn(snapshot.query)
    const [row] = await snapshot.query(SIZE)
    const entries = head.sequence - (base?.sequence ?? 0)
    return { head, entries, bytes: numberOf(row, 'size'), baseBytes: base?.size ?? 0 }
  }

  rebase(base: LogBase): Promise<boolean> {
    return rebase(this.#driver, this.#fence, base)
  }

  async findFaults(): Promise<readonly string[]> {
    await using snapshot = await this.#driver.snapshot()
    return await findLogFaults(snapshot.query)
  }
}

/**
 * Appends in one statement, so that no lock waits for the server's next step. Concurrent appends
 * want the same sequence number: the later one finds it taken.
 */
async function appendIn(query: SqlQuery, move: LogAppend): Promise<number | null> {
  const { from, to, pack, audit } = move
  const parts = partsOf(pack)
  const share: AuditShare = 'actions'
  const noted = audit.flatMap((entry) => [share, auditText(entry)])
  const values = [to, from, ...parts.flat(), ...noted]
  const [row] = await query(statementFor(parts.length, audit.length), ...values)
  if (row !== undefined) return numberOf(row, 'sequence')
  return (await newestIn(query, [to]))?.sequence ?? null
}

function statementFor(parts: number, entries: number): string {
  const places = Array.from({ length: parts }, () => '(CAST(? AS BIGINT), CAST(? AS BYTEA))')
  const notes = Array.from(
    { length: entries },
    (_, n) => `(${n}, CAST(? AS TEXT), CAST(? AS TEXT))`,
  )
  const note = `, noted AS (INSERT INTO audit_entry (share, json)
    SELECT share, json FROM appended, (VALUES ${notes.join()}) AS note (place, share, json)
    ORDER BY place)`
  return `WITH head AS (SELECT sequence, commit_sha FROM log_entry ORDER BY sequence DESC LIMIT 1),
    appended AS (INSERT INTO log_entry (sequence, commit_sha)
      SELECT sequence + 1, CAST(? AS TEXT) FROM head WHERE commit_sha = ?
      ON CONFLICT DO NOTHING RETURNING sequence),
    packed AS (INSERT INTO log_pack (sequence, part, bytes)
      SELECT sequence, part, bytes FROM appended, (VALUES ${places.join()}) AS given (part, bytes))
    ${entries > 0 ? note : ''} SELECT sequence FROM appended`
}

function partsOf(pack: Uint8Array): [number, Uint8Array][] {
  const count = Math.ceil(pack.length / PART_BYTES)
  return Array.from({ length: count }, (_, part) => [
    part,
    pack.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
  ])
}

async function newestIn(query: SqlQuery, commits: readonly CommitSha[]): Promise<LogEntry | null> {
  const marks = commits.map(() => '?').join(', ')
  const [row] = await query(
    `SELECT sequence, commit_sha FROM log_entry WHERE commit_sha IN (${marks})
      ORDER BY sequence DESC LIMIT 1`,
    ...commits,
  )
  return row === undefined ? null : entryOf(row)
}

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
async function findLogFaults(query: SqlQuery): Promise<readonly string[]> {
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

/** The size of packs that one statement reads, in bytes, unless a single one is larger. */
const READ_BYTES = 16 * 1024 * 1024

const WEIGHTS = `SELECT sequence, SUM(octet_length(bytes)) AS size FROM log_pack WHERE sequence > ?
  GROUP BY sequence ORDER BY sequence LIMIT ${MANY}`
const PARTS = `SELECT sequence, bytes FROM log_pack WHERE sequence > ? AND sequence <= ?
  ORDER BY sequence, part`
const BASE_PART = 'SELECT bytes FROM log_base_part WHERE attempt = ? AND part = ?'

/** The packs after a sequence number, of a log that does not change meanwhile. */
async function* readPacks(query: SqlQuery, sequence: number): AsyncGenerator<LogPack> {
  const base = await baseIn(query)
  const isOlder = base !== null && sequence < base.sequence
  if (isOlder) yield { kind: 'base', parts: basePartsOf(query, base) }
  let after = isOlder ? base.sequence : sequence
  for (;;) {
    const until = lastOfNext(await query(WEIGHTS, after))
    if (until === null) return
    yield* packsOf(await query(PARTS, after, until))
    after = until
  }
}

async function* basePartsOf(query: SqlQuery, base: BaseRow): AsyncGenerator<Uint8Array> {
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
  const packs = groupBy(rows, (row) => numberOf(row, 'sequence'))
  return Array.from(packs.values(), (parts) => {
    return { kind: 'entry', bytes: Buffer.concat(parts.map(packBytesOf)) }
  })
}

const LoggedRefs = z.array(z.object({ ref: z.string(), commit: CommitSha }))

const ENTRIES = 'SELECT sequence, refs FROM log_ref_move WHERE sequence > ? ORDER BY sequence'
const ENTRY = 'SELECT refs FROM log_ref_move WHERE sequence = ?'
const PACK = 'SELECT bytes FROM log_ref_move WHERE sequence = ?'
const APPEND = `INSERT INTO log_ref_move (sequence, refs, bytes)
  SELECT CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS BYTEA)
  WHERE CAST(? AS BIGINT) = (SELECT COALESCE(MAX(sequence), 0) + 1 FROM log_ref_move)
  ON CONFLICT DO NOTHING RETURNING sequence`

/** The moves of the refs beside the branch in PostgreSQL: one statement for each. */
class PostgresRefLog implements RefLog {
  readonly #driver: Driver

  constructor(driver: Driver) {
    this.#driver = driver
  }

  async entriesAfter(sequence: number): Promise<readonly RefLogEntry[]> {
    const rows = await this.#driver.query(ENTRIES, sequence)
    return rows.map((row) => ({
      sequence: numberOf(row, 'sequence'),
      refs: LoggedRefs.parse(JSON.parse(textColumn(row, 'refs'))),
    }))
  }

  async readPack(sequence: number): Promise<Uint8Array> {
    const [row] = await this.#driver.query(PACK, sequence)
    if (row !== undefined) return packBytesOf(row)
    throw unavailable(`The log of refs has no entry ${sequence}`)
  }

  async append(entry: RefLogEntry, pack: Uint8Array): Promise<boolean> {
    try {
      return await this.#append(entry, pack)
    } catch (error) {
      if (wasRefused(error)) throw error
      // The connection may be lost after the commit; the entry may be there already.
      return this.#append(entry, pack).catch((cause: unknown) => {
        const message = 'The database went away: whether it was done is known when it is back'
        throw unavailable(message, cause)
      })
    }
  }

  /** The commits of an entry are its own, so that an entry with the same ones is this one. */
  async #append({ sequence, refs }: RefLogEntry, pack: Uint8Array): Promise<boolean> {
    const { query } = this.#driver
    const text = JSON.stringify(refs)
    const [row] = await query(APPEND, sequence, text, pack, sequence)
    if (row !== undefined) return true
    const [there] = await query(ENTRY, sequence)
    return there !== undefined && textColumn(there, 'refs') === text
  }
}
