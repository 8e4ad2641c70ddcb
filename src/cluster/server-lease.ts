import { ServiceError } from '../core/errors.ts'
import type { Log } from '../lib/log.ts'
import { pause } from '../lib/pause.ts'
import type { Fence } from '../state/postgres-driver.ts'
import { type Driver, type SqlQuery, type SqlRow, numberOf, textColumn } from '../state/sql.ts'
import { storeUnavailable } from '../state/unavailable.ts'
import { describeDatabaseError } from './database-problem.ts'

/** A server as it presents itself to the others. */
export interface ThisServer {
  readonly name: string
  /** Where the others reach it; empty until it listens. */
  address: string
}

/** The server that holds the lease, or held it last. */
export interface LeaseHolder {
  readonly holder: string
}

const NAME = 'server'
/** By the clock of the database, as all times here. */
const LASTS_MS = 5_000
const RENEWAL_INTERVAL_MS = 1_000
const POLL_INTERVAL_MS = 500
/** Time for the leader to renew its lease when the database is back: it was away for all. */
export const GRACE_MS = LASTS_MS
const UNTIL = `clock_timestamp() + interval '${LASTS_MS} milliseconds'`

/** The time of the database as a column, for {@link aheadIn}. */
export const NOW = 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS DOUBLE PRECISION) AS now'

const LOOK = `SELECT epoch, holder, until > clock_timestamp() AS held FROM lease WHERE name = ?`
const TAKE = `INSERT INTO lease (name, epoch, holder, address, until) VALUES (?, 1, ?, ?, ${UNTIL})
  ON CONFLICT (name) DO UPDATE SET epoch = lease.epoch + 1, holder = excluded.holder,
  address = excluded.address, until = excluded.until RETURNING epoch, ${NOW}`
const RENEW = `UPDATE lease SET until = ${UNTIL}, address = ?
  WHERE name = ? AND epoch = ? RETURNING epoch, ${NOW}`
const HELD = 'SELECT epoch FROM lease WHERE name = ? AND epoch = ?'
const RELEASE = 'UPDATE lease SET until = clock_timestamp() WHERE name = ? AND epoch = ?'

/**
 * The right of one server to be the leader. It is renewed all the time; a server that cannot renew it
 * for some seconds loses it to the next one that asks.
 *
 * A process that was suspended cannot rely on time. So each take-over has a number, the epoch, and
 * every write transaction checks it ({@link fence}).
 */
export class ServerLease implements AsyncDisposable {
  readonly #driver: Driver
  readonly #server: ThisServer
  readonly #epoch: number
  readonly #end = new AbortController()
  readonly #lost = new AbortController()
  readonly #renewing: Promise<void>
  #problem: string | null = null
  /** No other server can have the lease before this time, by the monotonic clock of this process. */
  #heldUntil: number
  /** Milliseconds by which the clock of the database is ahead of ours. */
  #ahead: number

  private constructor(driver: Driver, server: ThisServer, taken: { row: SqlRow; asked: number }) {
    this.#driver = driver
    this.#server = server
    this.#epoch = numberOf(taken.row, 'epoch')
    this.#heldUntil = taken.asked + LASTS_MS
    this.#ahead = aheadIn(taken.row, taken.asked)
    this.#renewing = this.#renewAlways()
  }

  /**
   * Takes the lease, or returns its present or last holder. The driver stays the caller's.
   *
   * @param mayTake Whether this server takes a free lease.
   */
  static async take(
    driver: Driver,
    server: ThisServer,
    mayTake = () => true,
  ): Promise<ServerLease | LeaseHolder> {
    const [seen] = await driver.query(LOOK, NAME)
    // A server that only waits must not block writers.
    if (seen !== undefined && (seen['held'] === true || !mayTake())) {
      return { holder: textColumn(seen, 'holder') }
    }
    const session = await driver.begin()
    try {
      const [row] = await session.query(LOOK, NAME)
      if (row?.['held'] === true) {
        await session.rollback()
        return { holder: textColumn(row, 'holder') }
      }
      const asked = performance.now()
      const [taken = {}] = await session.query(TAKE, NAME, server.name, server.address)
      await session.commit()
      return new ServerLease(driver, server, { row: taken, asked })
    } catch (error) {
      await session.rollback()
      throw error
    }
  }

  /**
   * Takes the lease as soon as it is free and this server may lead. Retries while the database is
   * down.
   *
   * @throws the reason of `stop` once it is aborted.
   */
  static async wait(
    driver: Driver,
    server: ThisServer,
    options: { readonly mayLead: () => boolean; readonly stop: AbortSignal; readonly log: Log },
  ): Promise<ServerLease> {
    const { mayLead, stop, log } = options
    let seen = ''
    for (;;) {
      stop.throwIfAborted()
      const outcome = await ServerLease.take(driver, server, mayLead).catch((error: unknown) => {
        if (!(error instanceof ServiceError)) throw error
        return { holder: error.message }
      })
      if (outcome instanceof ServerLease) return outcome
      if (outcome.holder !== seen) {
        const message = 'Another server is the leader; this one takes over when it is lost'
        log({ level: 'info', message, facts: { holder: outcome.holder } })
      }
      seen = outcome.holder
      await pause(POLL_INTERVAL_MS, stop)
    }
  }

  /** Aborted when another server has taken over. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /** False when another server may have taken over, such as after a stop of this process. */
  get isSure(): boolean {
    return !this.#lost.signal.aborted && performance.now() < this.#heldUntil
  }

  /** The error of the last renewal; null when it succeeded. */
  get problem(): string | null {
    return this.#problem
  }

  /**
   * Milliseconds since the epoch by the clock of the database; the clocks of its servers may
   * differ.
   */
  now(): number {
    return Math.round(performance.now() + this.#ahead)
  }

  /** Leaves the lease to another server, for good. */
  async resign(): Promise<void> {
    this.#lost.abort()
    await this.#release()
  }

  /** @throws {ServiceError} `unavailable` when another server has taken over. */
  readonly fence: Fence = async (query) => {
    const [row] = await query(HELD, NAME, this.#epoch)
    if (row !== undefined) return
    this.#lost.abort()
    throw storeUnavailable('another server has taken over')
  }

  /** Publishes the address of this server at once. */
  announce(): Promise<void> {
    return this.#renew(this.#driver.query)
  }

  /** Gives the lease up, so that another server need not wait for its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort()
    await this.#renewing
    await this.#release()
  }

  async #release(): Promise<void> {
    // A database that is away notices by itself.
    await this.#driver.query(RELEASE, NAME, this.#epoch).catch(() => undefined)
  }

  async #renewAlways(): Promise<void> {
    const { signal } = this.#end
    for (;;) {
      await pause(RENEWAL_INTERVAL_MS, signal)
      if (signal.aborted || this.#lost.signal.aborted) return
      await this.#renew(this.#driver.query)
    }
  }

  async #renew(query: SqlQuery): Promise<void> {
    const asked = performance.now()
    try {
      const [row] = await query(RENEW, this.#server.address, NAME, this.#epoch)
      if (row === undefined) this.#lost.abort()
      else {
        this.#heldUntil = asked + LASTS_MS
        this.#ahead = aheadIn(row, asked)
      }
      this.#problem = null
    } catch (error) {
      this.#problem = describeDatabaseError(error)
    }
  }
}

/**
 * Milliseconds by which the database is ahead of the monotonic clock of this process. Assumes that it
 * read its clock halfway between the query and its answer.
 */
export function aheadIn(row: SqlRow, asked: number): number {
  return numberOf(row, 'now') - (asked + performance.now()) / 2
}
