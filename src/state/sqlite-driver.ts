import { statSync } from 'node:fs'
import nodeFs, { open, type FileHandle } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '../core/errors.ts'
import {
  type Driver,
  type SqlQuery,
  type StoreSnapshot,
  textColumn,
  type WriteSession,
} from './sql.ts'
import { SqliteConnection } from '../storage/sqlite-connection.ts'
import { MAX_PAGES_ALONE, SqliteLog } from '../storage/sqlite-log.ts'
import { syncFolder } from '../storage/sync-folder.ts'
import { storeUnavailable } from './unavailable.ts'

const BUSY_RETRY_MS = 2
const BUSY_LIMIT_MS = 10_000
// Not every failure carries SQLite's code, so its fixed texts distinguish them.
const OUTAGES =
  /malformed|not a database|disk is full|disk I\/O|readonly|unable to open|locked|out of memory|locking protocol/
const WRITER_PRAGMAS = [
  'busy_timeout = 5000',
  'journal_mode = WAL',
  // Its log is synced by each commit of ours, and by SQLite before and after a checkpoint.
  'synchronous = NORMAL',
  `wal_autocheckpoint = ${MAX_PAGES_ALONE}`,
  'busy_timeout = 0',
]
const READER_PRAGMAS = ['busy_timeout = 5000', 'query_only = 1']
const EXACT = { bigint: true, throwIfNoEntry: false } as const

/**
 * A SQLite file in WAL mode: one connection writes, another reads committed data. A commit returns
 * after its sync, which is ours: SQLite itself would hold up the event loop until the disk is done.
 * For the same reason a thread copies the log.
 */
export class SqliteDriver implements Driver {
  readonly textType = 'TEXT'
  readonly numberedKey = 'INTEGER PRIMARY KEY AUTOINCREMENT'
  readonly query: SqlQuery
  readonly #file: string
  readonly #writer: SqliteConnection
  readonly #reader: SqliteConnection
  /** The files in use, with their inodes. */
  readonly #inUse = new Map<string, bigint>()
  readonly #log: SqliteLog
  /** Opened by the first commit, before which the file may not be there. */
  #wal: FileHandle | null = null

  constructor(file: string) {
    this.#file = file
    this.#writer = connectTo(file, WRITER_PRAGMAS)
    this.#reader = connectTo(file, READER_PRAGMAS)
    this.query = queryOf(this.#reader)
    this.#log = new SqliteLog(file)
    this.#inUse.set(file, statSync(file, { bigint: true }).ino)
  }

  // Another process may hold the lock: waiting inside SQLite would block the event loop.
  async begin(): Promise<WriteSession> {
    this.#assertInPlace()
    await this.#log.mayGrow()
    const started = performance.now()
    while (!this.#writer.runUnlessBusy('BEGIN IMMEDIATE')) {
      if (performance.now() - started > BUSY_LIMIT_MS) {
        throw storeUnavailable(
          `${basename(this.#file)}: another process has been writing for too long`,
        )
      }
      await delay(BUSY_RETRY_MS)
    }
    return sessionOn(this.#writer, () => this.#sync())
  }

  async snapshot(): Promise<StoreSnapshot> {
    const connection = connectTo(this.#file, READER_PRAGMAS)
    connection.run('BEGIN')
    // The first read determines the moment of the snapshot.
    connection.run('SELECT COUNT(*) FROM sqlite_schema')
    return {
      query: queryOf(connection),
      [Symbol.asyncDispose]: async () => {
        connection[Symbol.dispose]()
      },
    }
  }

  async integrity(): Promise<readonly string[]> {
    try {
      const rows = this.#reader.run('PRAGMA integrity_check')
      return rows.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok')
    } catch (error) {
      // Some damage makes the check itself fail.
      if (error instanceof ServiceError) return [error.message]
      throw error
    }
  }

  async tables(): Promise<readonly string[]> {
    const rows = this.#reader.run("SELECT name FROM sqlite_schema WHERE type = 'table'")
    return rows.map((row) => textColumn(row, 'name'))
  }

  // Closing may leave the log beside the file until the statements are collected:
  // emptying it first makes the file alone the whole store.
  async [Symbol.asyncDispose](): Promise<void> {
    this.#reader[Symbol.dispose]()
    await this.#log.rest()
    this.#writer.run('PRAGMA wal_checkpoint(TRUNCATE)')
    this.#writer[Symbol.dispose]()
    this.#log[Symbol.dispose]()
    await this.#wal?.close()
  }

  /** SQLite goes on with a file that has lost its name, which is gone with this process. */
  #assertInPlace(): void {
    for (const [file, ino] of this.#inUse) {
      if (statSync(file, EXACT)?.ino === ino) continue
      throw storeUnavailable(
        `${basename(file)} was removed or replaced while it was in use: put it back, from a backup if need be, and restart the service`,
      )
    }
  }

  async #sync(): Promise<void> {
    try {
      this.#wal ??= await this.#openWal()
      await this.#wal.datasync()
      this.#log.noteCommit()
    } catch (error) {
      throw storeUnavailable(`${basename(this.#file)}: its log cannot be synced`, { cause: error })
    }
  }

  /** The name of the file is synced once: it stays while this connection is open. */
  async #openWal(): Promise<FileHandle> {
    const wal = await open(`${this.#file}-wal`, 'r+')
    await syncFolder(nodeFs, dirname(this.#file))
    this.#inUse.set(`${this.#file}-wal`, (await wal.stat({ bigint: true })).ino)
    return wal
  }
}

/** A connection to a file of the state, whose outages are those of the store. */
export function connectTo(file: string, pragmas: readonly string[] = []): SqliteConnection {
  return new SqliteConnection(file, pragmas, (error) =>
    error instanceof Error && OUTAGES.test(error.message)
      ? storeUnavailable(`${basename(file)}: ${error.message}`, { cause: error })
      : error,
  )
}

function queryOf(connection: SqliteConnection): SqlQuery {
  return (text, ...values) =>
    new Promise((resolve) => {
      resolve(connection.run(text, ...values))
    })
}

function sessionOn(writer: SqliteConnection, sync: () => Promise<void>): WriteSession {
  return {
    query: queryOf(writer),
    async commit() {
      writer.run('COMMIT')
      await sync()
    },
    async rollback() {
      writer.rollback()
    },
  }
}
