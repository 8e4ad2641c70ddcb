import { createHash } from 'node:crypto'
import postgres from 'postgres'
import { Backoff } from '../lib/retry.ts'
import { type SqlQuery, textColumn } from '../state/sql.ts'

/** Milliseconds between two attempts to listen. */
const AGAIN = { fromMs: 1_000, toMs: 30_000 }

/**
 * Hears at once that another server has appended to the log, on a connection of its own. It is a
 * hint: who misses it finds the entry at the next look.
 */
export class LogHints implements AsyncDisposable {
  readonly #url: string
  readonly #query: SqlQuery
  readonly #wake: () => void
  readonly #backoff = new Backoff(AGAIN)
  #client: postgres.Sql | null = null
  #dueAt = 0

  constructor(url: string, query: SqlQuery, wake: () => void) {
    this.#url = url
    this.#query = query
    this.#wake = wake
  }

  /** Wakes the other servers. */
  async send(): Promise<void> {
    await this.#query('SELECT pg_notify(?, ?)', await this.#channel(), '')
  }

  /** Listens, if nothing does. Never fails: it is tried again later. */
  async listen(): Promise<void> {
    if (this.#client !== null || performance.now() < this.#dueAt) return
    const client = postgres(this.#url, { max: 1, connect_timeout: 10, onnotice: () => undefined })
    this.#client = client
    try {
      await client.listen(await this.#channel(), this.#wake)
      this.#backoff.reset()
    } catch {
      this.#dueAt = performance.now() + this.#backoff.next()
      await this.forget()
    }
  }

  /** Ends the connection, which may be lost. */
  async forget(): Promise<void> {
    const client = this.#client
    this.#client = null
    await client?.end({ timeout: 1 })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.forget()
  }

  /** Several sets of tables may lie in one database, each in its schema. */
  async #channel(): Promise<string> {
    const [row] = await this.#query('SELECT current_schema() AS name')
    const digest = createHash('sha256').update(textColumn(row, 'name')).digest('hex')
    return `cairn_${digest.slice(0, 32)}`
  }
}
