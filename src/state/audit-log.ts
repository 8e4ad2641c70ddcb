import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  AUDIT_SHARES,
  AuditEntry,
  type AuditPage,
  type AuditQuery,
  type AuditShare,
  isAskedFor,
  type NewAuditEntry,
  noteFullShare,
  parseAuditEntry,
} from '../core/service/audit.ts'
import type { Clock } from '../lib/clock.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import { type SqlQuery, type SqlRow, numberOf, textColumn } from './sql.ts'
import { storeUnavailable } from './unavailable.ts'

/** The database of an audit log. */
export interface AuditDatabase {
  /** Reads committed rows. */
  readonly read: SqlQuery
  /** Runs one statement that changes rows; the change is durable when the promise resolves. */
  readonly write: SqlQuery
}

export interface AuditLogOptions {
  /** The maximal size of the log, in bytes. */
  readonly maxSize: number
  readonly clock: Clock
  readonly log: Log
}

/** The database may be away, and a finished action has to be answered all the same. */
const APPEND_TIMEOUT_MS = 3_000
/** A share is measured each time that this part of it was written by one server. */
const MEASURED_PART = 1 / 16
/** The number of rows in one statement, which holds up the event loop for some milliseconds. */
const ROWS = 1_000
const MAX_READS_OF_A_PAGE = 20
/** An entry without an answer is looked for among the newest ones. */
const MAX_SEARCHED = 10_000

const ADD = 'INSERT INTO audit_entry (share, json) VALUES (?, ?)'
const ADD_ONCE = `INSERT INTO audit_entry (share, json) SELECT CAST(? AS TEXT), CAST(? AS TEXT)
  WHERE NOT EXISTS (SELECT 1 FROM
    (SELECT json FROM audit_entry ORDER BY id DESC LIMIT ${MAX_SEARCHED}) AS newest
    WHERE newest.json = CAST(? AS TEXT))`
const TAKE_IN = `INSERT INTO audit_entry (id, share, json) VALUES (?, ?, ?)
  ON CONFLICT (id) DO NOTHING`
const READ_BACK = 'SELECT id, json FROM audit_entry WHERE id < ? ORDER BY id DESC LIMIT ?'
const READ_ON = 'SELECT id, share, json FROM audit_entry WHERE id > ? ORDER BY id LIMIT ?'
const SIZES = `SELECT id, octet_length(json) AS size FROM audit_entry
  WHERE share = ? AND id < ? ORDER BY id DESC LIMIT ?`
const RANGE = `SELECT COUNT(*) AS entries, MIN(id) AS first, MAX(id) AS last FROM audit_entry
  WHERE share = ? AND id <= ?`
const DROP = `DELETE FROM audit_entry WHERE id IN
  (SELECT id FROM audit_entry WHERE share = ? AND id <= ? ORDER BY id LIMIT ?)`

const Stored = AuditEntry.omit({ id: true })

/** The audit log: a table of the state store, or of the database that several servers share. */
export class AuditLog implements AsyncDisposable {
  readonly #database: AuditDatabase
  readonly #options: AuditLogOptions
  /** The bytes written since a share was measured; a share without an entry never was. */
  readonly #written = new Map<AuditShare, number>()
  #dropping: Promise<void> | null = null

  constructor(database: AuditDatabase, options: AuditLogOptions) {
    this.#database = database
    this.#options = options
  }

  /**
   * Appends an entry; one that may be there already is looked for among the newest. At the maximal
   * size the oldest entries of the share are dropped, and an entry says so.
   *
   * @throws {ServiceError} `unavailable` when the entry is not kept, as far as is known.
   */
  async append(
    share: AuditShare,
    entry: NewAuditEntry,
    { mayBeThere }: { readonly mayBeThere: boolean } = { mayBeThere: false },
  ): Promise<void> {
    const { write } = this.#database
    const json = auditText(entry)
    await inTime(mayBeThere ? write(ADD_ONCE, share, json, json) : write(ADD, share, json))
    if (this.#isToBeMeasured(share, json.length)) this.#makeRoomAside(share)
  }

  /** Adds rows that have their numbers already, and leaves out those that are there. */
  async takeIn(rows: Iterable<AuditRow>): Promise<void> {
    let group: Promise<unknown>[] = []
    for (const { id, share, json } of rows) {
      group.push(this.#database.write(TAKE_IN, id, share, json))
      if (group.length < ROWS) continue
      await Promise.all(group)
      group = []
    }
    await Promise.all(group)
  }

  /** Lists entries, newest first. A page may be shorter than its limit when many entries do not match. */
  async read(query: AuditQuery): Promise<AuditPage> {
    const entries: AuditEntry[] = []
    let before = query.before ?? Number.MAX_SAFE_INTEGER
    for (let reads = 0; reads < MAX_READS_OF_A_PAGE; reads += 1) {
      const rows = await this.#database.read(READ_BACK, before, ROWS)
      for (const row of rows) {
        before = numberOf(row, 'id')
        const entry = entryOf(before, textColumn(row, 'json'))
        if (isAskedFor(entry, query)) entries.push(entry)
        if (entries.length === query.limit) return { entries, next: before }
      }
      if (rows.length < ROWS) return { entries, next: null }
      await nextTurn()
    }
    return { entries, next: before }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dropping
  }

  #isToBeMeasured(share: AuditShare, size: number): boolean {
    const written = (this.#written.get(share) ?? Infinity) + size
    const isDue = written > this.#maxSize(share) * MEASURED_PART
    this.#written.set(share, isDue ? 0 : written)
    return isDue
  }

  #maxSize(share: AuditShare): number {
    return this.#options.maxSize * AUDIT_SHARES[share]
  }

  #makeRoomAside(share: AuditShare): void {
    const dropping = (this.#dropping ?? Promise.resolve()).then(() => this.#makeRoom(share))
    this.#dropping = dropping.catch(() => undefined)
    inBackground(this.#options.log, 'The audit log could not be shortened', dropping)
  }

  /** Drops the oldest entries of a share that is too large, and adds an entry that says so. */
  async #makeRoom(share: AuditShare): Promise<void> {
    const { read, write } = this.#database
    const last = await this.#newestToDrop(share)
    if (last === null) return
    const [range] = await read(RANGE, share, last)
    const dropped = { first: numberOf(range, 'first'), last: numberOf(range, 'last') }
    for (let left = numberOf(range, 'entries'); left > 0; left -= ROWS) {
      await write(DROP, share, last, ROWS)
    }
    await write(ADD, share, auditText(noteFullShare(share, dropped, this.#options)))
  }

  /** The newest entry for which a share has no room, looked for from its newest entry on. */
  async #newestToDrop(share: AuditShare): Promise<number | null> {
    let size = 0
    let before = Number.MAX_SAFE_INTEGER
    for (;;) {
      const rows = await this.#database.read(SIZES, share, before, ROWS)
      for (const row of rows) {
        before = numberOf(row, 'id')
        size += numberOf(row, 'size')
        if (size > this.#maxSize(share)) return before
      }
      if (rows.length < ROWS) return null
      await nextTurn()
    }
  }
}

/** A row of the table, as it is stored. */
export interface AuditRow {
  readonly id: number
  readonly share: AuditShare
  readonly json: string
}

/** An entry with its number and its share. */
export interface NumberedEntry {
  readonly share: AuditShare
  readonly entry: AuditEntry
}

/** Reads the entries after a number, oldest first. */
export async function* readAuditEntries(query: SqlQuery, after = 0): AsyncGenerator<NumberedEntry> {
  let last = after
  for (;;) {
    const rows = await query(READ_ON, last, ROWS)
    for (const row of rows) {
      last = numberOf(row, 'id')
      yield numberedEntry(row)
    }
    if (rows.length < ROWS) return
  }
}

/** The number of the newest entry; 0 when there is none. */
export async function findNewestNumber(query: SqlQuery): Promise<number> {
  const [row] = await query('SELECT COALESCE(MAX(id), 0) AS newest FROM audit_entry')
  return numberOf(row, 'newest')
}

/** The entry in a row of the table; a damaged one shows as that. */
export function numberedEntry(row: SqlRow): NumberedEntry {
  const share = textColumn(row, 'share') === 'refusals' ? 'refusals' : 'actions'
  return { share, entry: entryOf(numberOf(row, 'id'), textColumn(row, 'json')) }
}

/** The text of a row. Its fields are in one order, so that equal entries have equal texts. */
export function auditText(entry: NewAuditEntry): string {
  return JSON.stringify(Stored.parse(entry))
}

function entryOf(id: number, json: string): AuditEntry {
  return parseAuditEntry(id, json.replace('{', `{"id":${id},`))
}

/** Waits with a timer alone: ending a wait by a signal would make an error with its stack for each entry. */
function inTime(added: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(storeUnavailable('the database does not answer')),
      APPEND_TIMEOUT_MS,
    )
    added.finally(() => clearTimeout(late)).then(() => resolve(), reject)
  })
}
