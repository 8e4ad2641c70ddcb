import {
  AUDIT_SHARES,
  type AuditPage,
  type AuditQuery,
  type AuditShare,
  type AuditStore,
  isAskedFor,
  type MovedEntry,
  type NewAuditEntry,
  noteFullShare,
  parseAuditEntry,
} from '../core/audit.ts'
import type { Clock } from '../lib/clock.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import { pause } from '../lib/pause.ts'
import { PostgresDriver } from '../state/postgres-driver.ts'
import { type Driver, type SqlQuery, numberOf, textColumn } from '../state/sql.ts'
import { storeUnavailable } from '../state/unavailable.ts'
import { upgrade, versionOf } from '../state/upgrades.ts'
import { CLUSTER_UPGRADES } from './cluster-schema.ts'

export interface PostgresAuditOptions {
  readonly driver: Driver
  /** How large the log may become, in bytes. */
  readonly largest: number
  readonly clock: Clock
  readonly log: Log
}

/** The database may be away, and what was done has to be answered all the same. */
const LONGEST_WAIT_MS = 3_000
/** A share is looked at after so much of it was written by one server. */
const LOOKS_IN_A_SHARE = 16
/** Rows that are read at once, and how often at most for one page. */
const ROWS = 1_000
const READS = 20

const ADD = 'INSERT INTO audit_entry (share, json) VALUES (?, ?)'
/** How many of the newest entries may be one that got no answer. */
const LOOKED_THROUGH = 10_000
const ADD_ONCE = `INSERT INTO audit_entry (share, json) SELECT ?, ? WHERE NOT EXISTS
  (SELECT 1 FROM (SELECT json FROM audit_entry ORDER BY id DESC LIMIT ${LOOKED_THROUGH}) AS newest
    WHERE newest.json::jsonb = CAST(CAST(? AS TEXT) AS JSONB))`
const READ = 'SELECT id, json FROM audit_entry WHERE id < ? ORDER BY id DESC LIMIT ?'
const READ_ON = 'SELECT id, share, json FROM audit_entry WHERE id > ? ORDER BY id LIMIT ?'
const DROP = `WITH sized AS (SELECT id, SUM(octet_length(json)) OVER (ORDER BY id DESC) AS kept
    FROM audit_entry WHERE share = ?),
  dropped AS (DELETE FROM audit_entry WHERE share = ?
    AND id <= (SELECT MAX(id) FROM sized WHERE kept > ?) RETURNING id)
  SELECT MIN(id) AS first, MAX(id) AS last FROM dropped`

/** Adds an entry, in whichever transaction. */
export async function addAuditEntry(
  query: SqlQuery,
  share: AuditShare,
  entry: NewAuditEntry,
): Promise<void> {
  await query(ADD, share, JSON.stringify(entry))
}

/** The audit log of a database, oldest entry first. */
export async function* readAuditRows(url: string): AsyncGenerator<MovedEntry> {
  await using driver = new PostgresDriver(url)
  if ((await versionOf(driver, 'cluster-version')) === 0) return
  let after = 0
  for (;;) {
    const rows = await driver.query(READ_ON, after, ROWS)
    for (const row of rows) {
      after = numberOf(row, 'id')
      const { id: _, ...entry } = entryOf(after, textColumn(row, 'json'))
      yield { share: shareOf(textColumn(row, 'share')), entry }
    }
    if (rows.length < ROWS) return
  }
}

/** Adds entries to the audit log of a database, all of them or none. */
export async function writeAuditRows(
  url: string,
  entries: AsyncIterable<MovedEntry>,
): Promise<void> {
  await using driver = new PostgresDriver(url)
  await upgrade(driver, CLUSTER_UPGRADES, 'cluster-version')
  const session = await driver.begin()
  try {
    for await (const { share, entry } of entries) await addAuditEntry(session.query, share, entry)
    await session.commit()
  } catch (error) {
    await session.rollback()
    throw error
  }
}

/** The audit log of all servers of a database. */
export class PostgresAudit implements AuditStore {
  readonly #options: PostgresAuditOptions
  readonly #written = new Map<AuditShare, number>()
  readonly #end = new AbortController()

  constructor(options: PostgresAuditOptions) {
    this.#options = options
  }

  async append(
    share: AuditShare,
    entry: NewAuditEntry,
    { mayBeThere }: { readonly mayBeThere: boolean } = { mayBeThere: false },
  ): Promise<void> {
    const { driver, log } = this.#options
    const json = JSON.stringify(entry)
    const add = () =>
      mayBeThere
        ? driver.query(ADD_ONCE, share, json, json)
        : addAuditEntry(driver.query, share, entry)
    const known = new AbortController()
    const late = pause(LONGEST_WAIT_MS, known.signal).then(() => {
      if (!known.signal.aborted) throw storeUnavailable('the database does not answer')
    })
    const added = add().finally(() => known.abort())
    await Promise.race([added, late])
    if (!this.#isToBeLookedAt(share, json.length)) return
    inBackground(log, 'The audit log could not be shortened', this.#makeRoom(share))
  }

  async read(query: AuditQuery): Promise<AuditPage> {
    const entries = []
    let before = query.before ?? Number.MAX_SAFE_INTEGER
    for (let reads = 0; reads < READS; reads += 1) {
      const rows = await this.#options.driver.query(READ, before, ROWS)
      for (const row of rows) {
        before = numberOf(row, 'id')
        const entry = entryOf(before, textColumn(row, 'json'))
        if (isAskedFor(entry, query)) entries.push(entry)
        if (entries.length === query.limit) return { entries, next: before }
      }
      if (rows.length < ROWS) return { entries, next: null }
    }
    return { entries, next: before }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort()
  }

  #isToBeLookedAt(share: AuditShare, size: number): boolean {
    const written = (this.#written.get(share) ?? Infinity) + size
    const isDue = written > this.#largest(share) / LOOKS_IN_A_SHARE
    this.#written.set(share, isDue ? 0 : written)
    return isDue
  }

  #largest(share: AuditShare): number {
    return this.#options.largest * AUDIT_SHARES[share]
  }

  async #makeRoom(share: AuditShare): Promise<void> {
    const { driver } = this.#options
    const [row] = await driver.query(DROP, share, share, this.#largest(share))
    if (row === undefined || row['first'] === null || this.#end.signal.aborted) return
    const dropped = { first: numberOf(row, 'first'), last: numberOf(row, 'last') }
    await addAuditEntry(driver.query, share, noteFullShare(share, dropped, this.#options))
  }
}

function entryOf(id: number, json: string) {
  return parseAuditEntry(id, json.replace('{', `{"id":${id},`))
}

function shareOf(text: string): AuditShare {
  return text === 'refusals' ? 'refusals' : 'actions'
}
