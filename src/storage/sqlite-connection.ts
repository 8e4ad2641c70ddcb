import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite'
import { DatabaseSync } from './sqlite-engine.ts'

type SqliteValue = string | number | Uint8Array | null
type SqliteRow = Readonly<Record<string, unknown>>

const BUSY = /database is locked|database table is locked/
const NO_TRANSACTION = /no transaction is active/

/** One connection to a SQLite file, with its prepared statements. */
export class SqliteConnection implements Disposable {
  readonly #database: DatabaseSyncInstance
  readonly #statements = new Map<string, StatementSyncInstance>()
  readonly #explain: (error: unknown) => unknown
  #isOpen = true

  /** @param explain Makes the error that callers get of SQLite's own. */
  constructor(
    file: string,
    pragmas: readonly string[] = [],
    explain: (error: unknown) => unknown = (error) => error,
  ) {
    this.#explain = explain
    this.#database = this.#explained(() => new DatabaseSync(file))
    try {
      for (const pragma of pragmas) this.run(`PRAGMA ${pragma}`)
    } catch (error) {
      // Left to the collector, it would later remove the log of the file that comes in its place.
      this[Symbol.dispose]()
      throw error
    }
  }

  run(text: string, ...values: readonly SqliteValue[]): readonly SqliteRow[] {
    return this.#explained(() => this.#prepared(text).all(...values))
  }

  /** Runs a statement unless another connection holds the lock it needs. */
  runUnlessBusy(text: string): boolean {
    return this.#runUnless(BUSY, text)
  }

  /** Rolls the transaction back; a full disk can make SQLite do that by itself. */
  rollback(): void {
    this.#runUnless(NO_TRANSACTION, 'ROLLBACK')
  }

  [Symbol.dispose](): void {
    this.#statements.clear()
    if (this.#isOpen) this.#database.close()
    this.#isOpen = false
  }

  #runUnless(failure: RegExp, text: string): boolean {
    return this.#explained(() => {
      try {
        this.#prepared(text).all()
        return true
      } catch (error) {
        if (error instanceof Error && failure.test(error.message)) return false
        throw error
      }
    })
  }

  #prepared(text: string): StatementSyncInstance {
    const cached = this.#statements.get(text)
    if (cached) return cached
    const statement = this.#database.prepare(text)
    this.#statements.set(text, statement)
    return statement
  }

  #explained<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      throw this.#explain(error)
    }
  }
}
