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
import { MAX_PAGES_ALONE, SqliteLog } from '../storage/sqlite-log.ts'
import { syncFolder } from '../storage/sync-folder.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { storeUnavailable } from './unavailable.ts'

const BUSY_RETRY_MS = 2
const BUSY_LIMIT_MS = 10_000
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
    this.#writer = openedForWriting(file)
    this.#reader = openedForReading(file)
    this.query = this.#reader.query
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
    const connection = openedForReading(this.#file)
    await connection.query('BEGIN')
    // The first read determines the moment of the snapshot.
    await connection.query('SELECT COUNT(*) FROM sqlite_schema')
    return {
      query: connection.query,
      [Symbol.asyncDispose]: async () => {
        connection[Symbol.dispose]()
      },
    }
  }

  async integrity(): Promise<readonly string[]> {
    try {
      const rows = await this.#reader.query('PRAGMA integrity_check')
      return rows.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok')
    } catch (error) {
      // Some damage makes the check itself fail.
      if (error instanceof ServiceError) return [error.message]
      throw error
    }
  }

  async tables(): Promise<readonly string[]> {
    const rows = await this.#reader.query("SELECT name FROM sqlite_schema WHERE type = 'table'")
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

function openedForWriting(file: string): SqliteConnection {
  const connection = new SqliteConnection(file)
  connection.run('PRAGMA busy_timeout = 5000')
  connection.run('PRAGMA journal_mode = WAL')
  // Its log is synced by each commit of ours, and by SQLite before and after a checkpoint.
  connection.run('PRAGMA synchronous = NORMAL')
  connection.run(`PRAGMA wal_autocheckpoint = ${MAX_PAGES_ALONE}`)
  connection.run('PRAGMA busy_timeout = 0')
  return connection
}

function openedForReading(file: string): SqliteConnection {
  const connection = new SqliteConnection(file)
  connection.run('PRAGMA busy_timeout = 5000')
  connection.run('PRAGMA query_only = 1')
  return connection
}

function sessionOn(writer: SqliteConnection, sync: () => Promise<void>): WriteSession {
  return {
    query: writer.query,
    async commit() {
      writer.run('COMMIT')
      await sync()
    },
    async rollback() {
      writer.rollback()
    },
  }
}
