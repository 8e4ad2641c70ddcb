import type { Driver, SqlQuery, WriteSession } from './sql.ts'
import { storeUnavailable } from './unavailable.ts'

interface Member {
  apply(query: SqlQuery): Promise<void>
  settle(): void
  fail(error: unknown): void
}

/**
 * Runs transactions one after another. Those of one tick of the event loop share a commit, and so
 * one wait for the disk. Each has its own savepoint: one that throws is rolled back alone. None
 * resolves before the shared commit is durable.
 */
export class GroupCommit implements AsyncDisposable {
  readonly #driver: Driver
  #waiting: Member[] = []
  #flushing: Promise<void> | null = null
  #closed = false

  constructor(driver: Driver) {
    this.#driver = driver
  }

  run<Result>(work: (query: SqlQuery) => Promise<Result>): Promise<Result> {
    if (this.#closed) return Promise.reject(storeUnavailable('it is closed'))
    return new Promise((resolve, reject) => {
      this.#waiting.push(memberOf(work, resolve, reject))
      this.#flushing ??= this.#flushAll()
    })
  }

  /** Finishes accepted transactions and refuses later ones. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    await this.#flushing
  }

  async #flushAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await endOfTurn()
      const members = this.#waiting
      this.#waiting = []
      await this.#flush(members)
    }
    this.#flushing = null
  }

  async #flush(members: readonly Member[]): Promise<void> {
    try {
      const session = await this.#driver.begin()
      const applied = await committed(session, members)
      for (const member of applied) member.settle()
    } catch (error) {
      for (const member of members) member.fail(error)
    }
  }
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

function memberOf<Result>(
  work: (query: SqlQuery) => Promise<Result>,
  resolve: (result: Result) => void,
  reject: (error: unknown) => void,
): Member {
  let answer: (() => void) | null = null
  return {
    async apply(query) {
      const result = await work(query)
      answer = () => {
        resolve(result)
      }
    },
    settle: () => answer?.(),
    fail: reject,
  }
}

async function committed(session: WriteSession, members: readonly Member[]): Promise<Member[]> {
  try {
    const applied: Member[] = []
    for (const member of members) {
      if (await isApplied(session.query, member)) applied.push(member)
    }
    await session.commit()
    return applied
  } catch (error) {
    await session.rollback()
    throw error
  }
}

/** An engine that cannot undo one member alone throws here, and the whole group fails. */
async function isApplied(query: SqlQuery, member: Member): Promise<boolean> {
  await query('SAVEPOINT member')
  try {
    await member.apply(query)
  } catch (error) {
    await query('ROLLBACK TO SAVEPOINT member')
    await query('RELEASE SAVEPOINT member')
    member.fail(error)
    return false
  }
  await query('RELEASE SAVEPOINT member')
  return true
}
