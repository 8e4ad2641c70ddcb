import type { DocumentKind } from '../core/document-kind.ts'
import {
  AuditLog,
  type AuditLogOptions,
  type NumberedEntry,
  findNewestNumber,
  readAuditEntries,
} from './audit-log.ts'
import { Turns } from '../lib/cooperative.ts'
import { StateReader, listCounter } from './documents.ts'
import { dumpLines } from './dump.ts'
import { GroupCommit } from './group-commit.ts'
import { type Driver, type SqlQuery, numberOf, textColumn } from './sql.ts'
import { inWords } from '../core/problem.ts'
import { scanCounters, scanDocuments } from './scan.ts'

const PUT = `INSERT INTO document (kind, key, json) VALUES (?, ?, ?)
  ON CONFLICT (kind, key) DO UPDATE SET json = excluded.json`
const REMOVE = 'DELETE FROM document WHERE kind = ? AND key = ?'
const NEXT = `INSERT INTO counter (key, n) VALUES (?, ?)
  ON CONFLICT (key) DO UPDATE SET n = counter.n + excluded.n RETURNING n`
const APPEND = 'INSERT INTO list (key, ord, id) VALUES (?, ?, ?)'

// PostgreSQL refuses NUL, and half a surrogate pair would become another character.
const UNFIT = /[\0\p{Cs}]/u

/**
 * JSON documents, lists of them and counters, in one SQL database.
 *
 * A change is atomic, and durable when its promise resolves. Reads see committed data and never
 * wait for a writer.
 */
export class StateStore extends StateReader implements AsyncDisposable {
  /** The version that it had when it was opened; null for the version of this program. */
  readonly upgradedFrom: number | null
  readonly #driver: Driver
  readonly #commits: GroupCommit

  /**
   * The driver's database has to be at this program's version. The store owns the driver from here
   * on.
   */
  constructor(driver: Driver, upgradedFrom: number | null = null) {
    super(driver.query)
    this.upgradedFrom = upgradedFrom
    this.#driver = driver
    this.#commits = new GroupCommit(driver)
  }

  /**
   * Runs one change. `work` uses only its transaction and awaits nothing else, since every other
   * change waits for it. When it throws, everything is rolled back and the error reaches the
   * caller.
   */
  change<Result>(work: (transaction: StateTransaction) => Promise<Result>): Promise<Result> {
    return this.#commits.run((query) => work(new StateTransaction(query)))
  }

  auditLog(options: AuditLogOptions): AuditLog {
    const write: SqlQuery = (text, ...values) =>
      this.#commits.run((query) => query(text, ...values))
    return new AuditLog({ read: this.#driver.query, write }, options)
  }

  /** Reads the entries of the audit log after a number, oldest first. */
  auditEntries(after?: number): AsyncIterable<NumberedEntry> {
    return readAuditEntries(this.#driver.query, after)
  }

  /** The number of the newest entry of the audit log; 0 when there is none. */
  newestAuditEntry(): Promise<number> {
    return findNewestNumber(this.#driver.query)
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

/**
 * One change of the store. It sees its own writes; others see them after the commit. It may write thousands of
 * documents, between which readers have their turn.
 */
export class StateTransaction extends StateReader {
  readonly #query: SqlQuery
  readonly #turns = new Turns()

  constructor(query: SqlQuery) {
    super(query)
    this.#query = query
  }

  async put<Value>(kind: DocumentKind<Value>, key: string, value: Value): Promise<void> {
    await this.#write(PUT, kind.name, fit(key), JSON.stringify(value))
  }

  /** Removes a document, if there is one. */
  async remove(kind: DocumentKind<unknown>, key: string): Promise<void> {
    await this.#write(REMOVE, kind.name, key)
  }

  /**
   * Takes the next number of a counter, which starts at 1, or the first of `count` consecutive
   * numbers. A committed number is never issued again.
   */
  async next(counter: string, count = 1): Promise<number> {
    const [row] = await this.#write(NEXT, fit(counter), count)
    return numberOf(row, 'n') - count + 1
  }

  /** Appends a document's key to a list. */
  async append(list: string, id: string): Promise<void> {
    await this.#write(APPEND, fit(list), await this.next(listCounter(list)), fit(id))
  }

  readonly #write: SqlQuery = async (text, ...values) => {
    if (this.#turns.isOver) await this.#turns.next()
    return this.#query(text, ...values)
  }
}

function fit(key: string): string {
  if (UNFIT.test(key)) throw new RangeError(`${JSON.stringify(key)} cannot be a key`)
  return key
}

const LIST_ENDS = `SELECT key, COUNT(*) AS n, MIN(ord) AS first, MAX(ord) AS last
  FROM list GROUP BY key ORDER BY key`

/** Reads the whole store and returns all errors in it. */
async function checkStore(
  driver: Driver,
  kinds: readonly DocumentKind<unknown>[],
): Promise<string[]> {
  const damage = await driver.integrity()
  if (damage.length > 0) return [...damage]
  await using snapshot = await driver.snapshot()
  return [
    ...(await listProblems(snapshot.query)),
    ...(await documentProblems(snapshot.query, kinds)),
  ]
}

async function listProblems(query: SqlQuery): Promise<string[]> {
  const lengths = new Map<string, number>()
  for await (const row of scanCounters(query))
    lengths.set(textColumn(row, 'key'), numberOf(row, 'n'))
  const problems: string[] = []
  for (const row of await query(LIST_ENDS)) {
    const [list, length] = [textColumn(row, 'key'), numberOf(row, 'n')]
    const dense = numberOf(row, 'first') === 1 && numberOf(row, 'last') === length
    if (!dense) problems.push(`the list "${list}" has gaps`)
    const counted = lengths.get(listCounter(list)) ?? 0
    if (counted !== length) problems.push(`the list "${list}" counts ${counted} and has ${length}`)
    lengths.delete(listCounter(list))
  }
  const lost = [...lengths].filter(([key, n]) => n > 0 && key.startsWith(listCounter('')))
  return [...problems, ...lost.map(([key, n]) => `the "${key}" counts ${n} and has none`)]
}

async function documentProblems(
  query: SqlQuery,
  kinds: readonly DocumentKind<unknown>[],
): Promise<string[]> {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]))
  const problems: string[] = []
  for await (const row of scanDocuments(query)) {
    const [name, key, json] = [
      textColumn(row, 'kind'),
      textColumn(row, 'key'),
      textColumn(row, 'json'),
    ]
    const problem = documentProblem(byName.get(name), json)
    if (problem !== null) problems.push(`the ${name} "${key}" ${problem}`)
  }
  return problems
}

function documentProblem(kind: DocumentKind<unknown> | undefined, json: string): string | null {
  if (!kind) return 'is of no known kind'
  try {
    const result = kind.schema.safeParse(JSON.parse(json), { error: inWords })
    return result.success ? null : (result.error.issues[0]?.message ?? 'has another form')
  } catch (error) {
    if (error instanceof SyntaxError) return 'is not JSON'
    throw error
  }
}
