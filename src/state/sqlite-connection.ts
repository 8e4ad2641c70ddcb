import { basename } from 'node:path'
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite'
import type { SqlQuery, SqlRow, SqlValue } from './sql.ts'
import { DatabaseSync } from '../storage/sqlite-engine.ts'
import { storeUnavailable } from './unavailable.ts'

// Not every failure carries SQLite's code, so its fixed texts distinguish them.
const OUTAGES =
  /malformed|not a database|disk is full|disk I\/O|readonly|unable to open|locked|out of memory|locking protocol/
const BUSY = /database is locked|database table is locked/
const NO_TRANSACTION = /no transaction is active/

/** One connection to a SQLite file, with its prepared statements. */
export class SqliteConnection implements Disposable {
  readonly #database: DatabaseSyncInstance
  readonly #file: string
  readonly #statements = new Map<string, StatementSyncInstance>()
  #isOpen = true

  constructor(file: string) {
    this.#file = file
    this.#database = this.#translated(() => new DatabaseSync(file))
  }

  readonly query: SqlQuery = (text, ...values) =>
    new Promise((resolve) => {
      resolve(this.run(text, ...values))
    })

  run(text: string, ...values: readonly SqlValue[]): readonly SqlRow[] {
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

  /** Rolls the transaction back; a full disk can make SQLite do that by itself. */
  rollback(): void {
    try {
      this.#prepared('ROLLBACK').all()
    } catch (error) {
      if (!(error instanceof Error && NO_TRANSACTION.test(error.message))) {
        throw this.#translate(error)
      }
    }
  }

  [Symbol.dispose](): void {
    this.#statements.clear()
    if (this.#isOpen) this.#database.close()
    this.#isOpen = false
  }

  #prepared(text: string): StatementSyncInstance {
    const cached = this.#statements.get(text)
    if (cached) return cached
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
    return storeUnavailable(`${basename(this.#file)}: ${error.message}`, { cause: error })
  }
}
