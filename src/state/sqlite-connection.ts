import { basename } from 'node:path'
import {
  DatabaseSync,
  type DatabaseSyncInstance,
  type StatementSyncInstance,
} from '@photostructure/sqlite'
import type { Query, Row, SqlValue } from './sql.ts'
import { unavailable } from './unavailable.ts'

// Not every failure carries SQLite's number, so its fixed texts tell them apart.
const OUTAGES =
  /malformed|not a database|disk is full|disk I\/O|readonly|unable to open|locked|out of memory|locking protocol/
const BUSY = /database is locked|database table is locked/

/** One connection to a SQLite file, with its statements kept prepared. */
export class SqliteConnection implements Disposable {
  readonly #database: DatabaseSyncInstance
  readonly #file: string
  readonly #statements = new Map<string, StatementSyncInstance>()

  constructor(file: string) {
    this.#file = file
    this.#database = this.#translated(() => new DatabaseSync(file))
  }

  readonly query: Query = (text, ...values) =>
    new Promise((resolve) => {
      resolve(this.run(text, ...values))
    })

  run(text: string, ...values: readonly SqlValue[]): readonly Row[] {
    return this.#translated(() => this.#prepared(text).all(...values))
  }

  /** Runs a statement unless another connection holds the lock it needs. */
  runUnlessBusy(text: string): boolean {
    try {
      this.#prepared(text).all()
      return true
    } catch (error) {
      if (error instanceof Error && BUSY.test(error.message)) return false
      throw this.#translate(error)
    }
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction
  }

  [Symbol.dispose](): void {
    this.#statements.clear()
    if (this.#database.isOpen) this.#database.close()
  }

  #prepared(text: string): StatementSyncInstance {
    const known = this.#statements.get(text)
    if (known) return known
    const statement = this.#database.prepare(text)
    this.#statements.set(text, statement)
    return statement
  }

  #translated<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      throw this.#translate(error)
    }
  }

  #translate(error: unknown): unknown {
    if (!(error instanceof Error) || !OUTAGES.test(error.message)) return error
    return unavailable(`${basename(this.#file)}: ${error.message}`, { cause: error })
  }
}
