import { randomUUID } from 'node:crypto'
import type { LogBase, LogEntry } from '../history/log/revision-log.ts'
import type { Fence } from '../state/postgres-driver.ts'
import { type Driver, type SqlQuery, numberOf } from '../state/sql.ts'
import { baseIn, entryOf, headIn, PART_BYTES } from './log-rows.ts'

/**
 * The number of entries that are retained before the base, without their packs, to answer whether a
 * recent save was made.
 */
const RETAINED_ENTRIES = 1_000

const ENTRY = 'SELECT sequence, commit_sha FROM log_entry WHERE sequence = ?'
const BEGIN = 'INSERT INTO log_entry (sequence, commit_sha) VALUES (?, ?)'
const DROP_UNFINISHED =
  'DELETE FROM log_base_part WHERE attempt NOT IN (SELECT attempt FROM log_base)'
const ADD_PART = 'INSERT INTO log_base_part (attempt, part, bytes) VALUES (?, ?, ?)'
const COUNT = 'SELECT COUNT(*) AS n FROM log_base_part WHERE attempt = ?'
const SET_BASE = `INSERT INTO log_base (name, sequence, attempt, parts, size)
  VALUES ('base', ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET sequence = excluded.sequence,
  attempt = excluded.attempt, parts = excluded.parts, size = excluded.size`
const DROP_PACKS = 'DELETE FROM log_pack WHERE sequence <= ?'
const DROP_ENTRIES = 'DELETE FROM log_entry WHERE sequence < ?'

interface Attempt {
  readonly attempt: string
  readonly parts: number
  readonly size: number
}

/**
 * Writes a base in parts, each in a transaction of its own, and then activates it in one
 * transaction. The next attempt drops parts that were never activated. Returns false when the base
 * is out of date. Every transaction is fenced.
 */
export async function rebase(
  driver: Driver,
  fence: Fence,
  { pack, ...entry }: LogBase,
): Promise<boolean> {
  const write = <T>(work: (query: SqlQuery) => Promise<T>) => writeIn(driver, { fence, work })
  await write((query) => query(DROP_UNFINISHED))
  const attempt = randomUUID()
  let [parts, size] = [0, 0]
  for await (const bytes of inParts(pack)) {
    const part = parts
    await write((query) => query(ADD_PART, attempt, part, bytes))
    parts += 1
    size += bytes.length
  }
  return write((query) => putInForce(query, entry, { attempt, parts, size }))
}

async function putInForce(query: SqlQuery, entry: LogEntry, made: Attempt): Promise<boolean> {
  const { sequence, commit } = entry
  const head = await headIn(query)
  if (!(await fits(query, { entry, head })) || !(await isWhole(query, made))) return false
  if (head === null) await query(BEGIN, sequence, commit)
  await query(SET_BASE, sequence, made.attempt, made.parts, made.size)
  await query(DROP_PACKS, sequence)
  await query(DROP_ENTRIES, sequence - RETAINED_ENTRIES)
  await query(DROP_UNFINISHED)
  return true
}

/** Whether the base begins the log, or is newer than the active base. */
async function fits(
  query: SqlQuery,
  { entry, head }: { entry: LogEntry; head: LogEntry | null },
): Promise<boolean> {
  if (head === null) return entry.sequence === 1
  const [row] = await query(ENTRY, entry.sequence)
  const base = await baseIn(query)
  return (
    row !== undefined &&
    entryOf(row).commit === entry.commit &&
    entry.sequence > (base?.sequence ?? 0)
  )
}

/** Another server that has begun later has dropped the parts. */
async function isWhole(query: SqlQuery, { attempt, parts }: Attempt): Promise<boolean> {
  const [row] = await query(COUNT, attempt)
  return numberOf(row, 'n') === parts
}

async function writeIn<T>(
  driver: Driver,
  { fence, work }: { fence: Fence; work: (query: SqlQuery) => Promise<T> },
): Promise<T> {
  const session = await driver.begin()
  try {
    await fence(session.query)
    const result = await work(session.query)
    await session.commit()
    return result
  } catch (error) {
    await session.rollback()
    throw error
  }
}

/** The same bytes in pieces of one size; the last one may be shorter. */
async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let [held, size]: [Uint8Array[], number] = [[], 0]
  for await (const chunk of bytes) {
    held.push(chunk)
    size += chunk.length
    if (size < PART_BYTES) continue
    const whole = Buffer.concat(held)
    let at = 0
    for (; at + PART_BYTES <= whole.length; at += PART_BYTES) {
      yield whole.subarray(at, at + PART_BYTES)
    }
    held = [whole.subarray(at)]
    size = whole.length - at
  }
  if (size > 0) yield Buffer.concat(held)
}
