import type { DocumentKind } from '../core/document-kind.ts'
import { checkStore } from './check.ts'
import { DocumentQueries } from './documents.ts'
import { dumpLines } from './dump.ts'
import { GroupCommit } from './group-commit.ts'
import type { Driver } from './sql.ts'
import { DocumentTransaction, type StateTransaction } from './transaction.ts'

/**
 * JSON documents, lists of them and counters, in one SQL database.
 *
 * A change is atomic, and durable when its promise resolves. Reads see committed data and never
 * wait for a writer.
 */
export class StateStore extends DocumentQueries implements AsyncDisposable {
  readonly #driver: Driver
  readonly #commits: GroupCommit

  /**
   * The driver's database has to be at this program's version. The store owns the driver from here
   * on.
   */
  constructor(driver: Driver) {
    super(driver.query)
    this.#driver = driver
    this.#commits = new GroupCommit(driver)
  }

  /**
   * Runs one change. `work` uses only its transaction and waits for nothing else: every other
   * change waits for it. When it throws, everything is rolled back and the error reaches the
   * caller.
   */
  change<Result>(work: (transaction: StateTransaction) => Promise<Result>): Promise<Result> {
    return this.#commits.run((query) => work(new DocumentTransaction(query)))
  }

  /** The whole store as JSON lines, as of the first read. */
  dump(): AsyncIterable<string> {
    return dumpLines(this.#driver)
  }

  /** All errors in the store; every document is read and validated. */
  check(kinds: readonly DocumentKind<unknown>[]): Promise<string[]> {
    return checkStore(this.#driver, kinds)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#commits[Symbol.asyncDispose]()
    await this.#driver[Symbol.asyncDispose]()
  }
}
