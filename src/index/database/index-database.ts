import { mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type CooperativeWork, runCooperatively } from '../../lib/cooperative.ts'
import type { Log } from '../../lib/log.ts'
import { SerialQueue } from '../../lib/serial-queue.ts'
import { SqliteConnection } from '../../storage/sqlite-connection.ts'
import { MAX_PAGES_ALONE, SqliteLog } from '../../storage/sqlite-log.ts'
import { DamagedIndexError, type DerivedRow, type DerivedValue } from './index-rows.ts'

export interface IndexDatabaseOptions {
  readonly file: string
  /** Names everything that the rows depend on besides the history: with another one they are made anew. */
  readonly format: string
  /** The statements that make the tables. */
  readonly tables: readonly string[]
  readonly log: Log
}

const UNREADABLE = 'The index of the history cannot be read and is made anew'
const OF_ANOTHER_FORM = 'The index of the history has another form and is made anew'
const UNUSABLE =
  'The index of the history cannot be kept in its file, and lasts until the service stops'
/** How often one process replaces the file; a disk that damages it more often is left alone. */
const MAX_REPLACED = 3
/** In memory, and in a file without a name where it grows. */
const NAMELESS = ''
const ABOUT = 'CREATE TABLE about (format TEXT NOT NULL) STRICT'
const PRAGMAS = [
  'journal_mode = WAL',
  'synchronous = NORMAL',
  `wal_autocheckpoint = ${MAX_PAGES_ALONE}`,
]
const BUSY_RETRY_MS = 2

/**
 * The SQLite file of everything that is derived from the history. One that is missing, damaged or of
 * another format is replaced by an empty one, at any time: whoever reads finds nothing then.
 */
export class IndexDatabase implements AsyncDisposable {
  readonly #options: IndexDatabaseOptions
  readonly #writes = new SerialQueue()
  #connection: Connection
  #onReplaced: () => void = () => {}
  #replaced = 0
  #isClosed = false

  constructor(options: IndexDatabaseOptions) {
    this.#options = options
    this.#connection = this.#openKept() ?? this.#openEmpty()
  }

  /** Calls back whenever all rows are gone. */
  onReplaced(listener: () => void): void {
    this.#onReplaced = listener
  }

  /** The rows that a statement gives; none where they are damaged. */
  rows(sql: string, ...values: readonly DerivedValue[]): readonly DerivedRow[] {
    return this.read(() => this.run(sql, ...values), [])
  }

  /** The values of the rows that a statement gives; none where they are damaged. */
  list<Value>(
    take: (row: DerivedRow) => Value,
    sql: string,
    ...values: readonly DerivedValue[]
  ): readonly Value[] {
    return this.read(() => this.run(sql, ...values).map(take), [])
  }

  /** Reads from rows; gives `none` where they are damaged. */
  read<Value>(work: () => Value, none: Value): Value {
    if (this.#isClosed) return none
    try {
      return work()
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#replace(error)
      return none
    }
  }

  /** Runs a statement of {@link write}, and gives the rows that it returns. */
  run(sql: string, ...values: readonly DerivedValue[]): readonly DerivedRow[] {
    return this.#connection.run(sql, ...values)
  }

  /**
   * Writes in one transaction, in time slices. False, with nothing written, when all rows went
   * meanwhile.
   *
   * @throws what the file system says when it cannot be written.
   */
  write(work: () => CooperativeWork<void>): Promise<boolean> {
    return this.#writes.run(() => this.#write(work))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#connection.rest()
    this.#connection.close()
  }

  async #write(work: () => CooperativeWork<void>): Promise<boolean> {
    if (this.#isClosed) return false
    const connection = this.#connection
    try {
      await connection.begin()
      await runCooperatively(whileOpen(work(), () => this.#connection === connection))
      if (this.#connection !== connection) return false
      connection.commit()
      return true
    } catch (error) {
      if (this.#connection !== connection) return false
      connection.rollback()
      if (!isDamage(error)) throw error
      this.#replace(error)
      return false
    }
  }

  #replace(error: unknown): void {
    this.#options.log({ level: 'warning', message: UNREADABLE, facts: { error } })
    this.#connection.close()
    this.#replaced += 1
    this.#connection = this.#openEmpty()
    this.#onReplaced()
  }

  /** Null for a file that cannot be gone on with. */
  #openKept(): Connection | null {
    const { file, format, log } = this.#options
    let connection: Connection | null = null
    try {
      mkdirSync(dirname(file), { recursive: true })
      connection = new Connection(file)
      const isNew = connection.run('SELECT 1 FROM sqlite_schema LIMIT 1').length === 0
      if (isNew) this.#makeTables(connection)
      const [about] = connection.run('SELECT format FROM about')
      if (about?.['format'] !== format) log({ level: 'info', message: OF_ANOTHER_FORM })
      else if (connection.isWhole()) return connection
      else log({ level: 'warning', message: UNREADABLE })
    } catch (error) {
      log({ level: 'warning', message: UNREADABLE, facts: { error } })
    }
    connection?.close()
    return null
  }

  #openEmpty(): Connection {
    const { file, log } = this.#options
    try {
      if (this.#replaced > MAX_REPLACED) throw new Error('It was damaged again and again')
      for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
      return this.#makeTables(new Connection(file))
    } catch (error) {
      log({ level: 'warning', message: UNUSABLE, facts: { error } })
      return this.#makeTables(new Connection(NAMELESS))
    }
  }

  #makeTables(connection: Connection): Connection {
    const { format, tables } = this.#options
    connection.run('BEGIN')
    for (const statement of [ABOUT, ...tables]) connection.run(statement)
    connection.run('INSERT INTO about VALUES (?)', format)
    connection.run('COMMIT')
    return connection
  }
}

/** A connection that writes, with the log of its file. */
class Connection extends SqliteConnection {
  readonly #file: string
  readonly #log: SqliteLog

  constructor(file: string) {
    super(file, PRAGMAS)
    this.#file = file
    this.#log = new SqliteLog(file)
  }

  /** Begins to write, as soon as the log is not being copied. */
  async begin(): Promise<void> {
    await this.#log.mayGrow()
    while (!this.runUnlessBusy('BEGIN IMMEDIATE')) await delay(BUSY_RETRY_MS)
  }

  commit(): void {
    this.run('COMMIT')
    this.#log.noteCommit()
  }

  /** Waits until the log is not being copied. */
  rest(): Promise<void> {
    return this.#log.rest()
  }

  /** Whether the file has all its pages; SQLite would notice only where a missing one is read. */
  isWhole(): boolean {
    this.run('PRAGMA wal_checkpoint(TRUNCATE)')
    const [count] = this.run('PRAGMA page_count')
    const [size] = this.run('PRAGMA page_size')
    return Number(count?.['page_count']) * Number(size?.['page_size']) <= statSync(this.#file).size
  }

  /** Closing alone may leave the log beside the file until the statements are collected. */
  close(): void {
    try {
      this.run('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      if (!isDamage(error) && !isFull(error)) throw error
    }
    this[Symbol.dispose]()
    this.#log[Symbol.dispose]()
  }
}

function* whileOpen(work: CooperativeWork<void>, isOpen: () => boolean): CooperativeWork<void> {
  while (isOpen() && !work.next().done) yield
}

const DAMAGE = /malformed|not a database|disk I\/O|fts5: (?:corrupt|missing)/

/** The log stays beside the file then, and is taken in by the next start. */
function isFull(error: unknown): boolean {
  return error instanceof Error && /disk is full/.test(error.message)
}

function isDamage(error: unknown): boolean {
  if (error instanceof DamagedIndexError) return true
  return error instanceof Error && DAMAGE.test(error.message)
}
