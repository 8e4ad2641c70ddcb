import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { SeenServer } from '../core/service/seen-server.ts'
import type { Clock } from '../lib/clock.ts'
import { type Driver, type SqlRow, numberOf, textColumn } from '../state/sql.ts'
import { describeDatabaseError } from './database-problem.ts'
import { Reach } from './reach.ts'
import { aheadIn, NOW, type ThisServer } from './server-lease.ts'

/** The leader, as another server sees it. */
export interface Leader {
  readonly address: string
  /** Aborted when it no longer leads. */
  readonly gone: AbortSignal
  /** Aborted when it does not answer this server. */
  readonly silence: AbortSignal
}

export interface MembersOptions {
  readonly driver: Driver
  readonly server: ThisServer
  /** The clock of this machine. */
  readonly clock: Clock
}

const MINUTE_MS = 60_000
/** The difference of the clocks of this machine and the database from which it is reported. */
const MAX_CLOCK_DIFFERENCE_MS = MINUTE_MS
/** Silence after which a server is no longer listed. */
const FORGOTTEN_AFTER = `interval '10 minutes'`

/** Silence after which a server is not asked which servers it reaches. */
const ALIVE_WITHIN_SECONDS = 3
/** The time for which another server with the same address is reported after it was last seen. */
const SHARED_FOR_MS = 10_000
const Addresses = z.array(z.string()).nullable()

const NOTE = `WITH before AS (SELECT name, instance FROM server WHERE address = ?), noted AS (
  INSERT INTO server (address, name, sequence, reaches, instance, seen)
  VALUES (?, ?, ?, ?, ?, clock_timestamp()) ON CONFLICT (address) DO UPDATE
  SET name = excluded.name, sequence = excluded.sequence, reaches = excluded.reaches,
    instance = excluded.instance, seen = excluded.seen)
  SELECT name, instance FROM before`
const SEEN = `SELECT server.name, server.address, sequence, reaches,
  CAST(floor(extract(epoch FROM clock_timestamp() - seen)) AS BIGINT) AS silence,
  lease.epoch AS epoch, ${NOW}
  FROM server LEFT JOIN lease ON lease.name = 'server' AND lease.until > clock_timestamp()
    AND lease.address = server.address
  WHERE seen > clock_timestamp() - ${FORGOTTEN_AFTER} ORDER BY server.name, server.address`
const ALIVE = `SELECT 1 AS one FROM server
  WHERE seen > clock_timestamp() - interval '${ALIVE_WITHIN_SECONDS} seconds' LIMIT 1`
const FORGET = `DELETE FROM server WHERE seen <= clock_timestamp() - ${FORGOTTEN_AFTER}`
const LEAVE = 'DELETE FROM server WHERE address = ?'

/** The servers that share the database, and the leader among them. */
export class Members implements AsyncDisposable {
  readonly #options: MembersOptions
  readonly #reach = new Reach()
  readonly #placement = new ServerPlacement()
  /** The id of this process, which alone writes at its address. */
  readonly #instance = randomUUID()
  #hasNoted = false
  #shared: { readonly name: string; readonly at: number } | null = null
  #servers: readonly Omit<SeenServer, 'lag'>[] = []
  #leader: { epoch: number; address: string; end: AbortController } | null = null
  /** Milliseconds by which the database is ahead of the monotonic clock; null while that is unknown. */
  #ahead: number | null = null
  #problem: string | null = null
  #failedAt = -Infinity

  constructor(options: MembersOptions) {
    this.#options = options
  }

  /** The leader; null while there is none, as far as this server knows. */
  leader(): Leader | null {
    if (this.#leader === null) return null
    const { address, end } = this.#leader
    return { address, gone: end.signal, silence: this.#reach.silence(address) }
  }

  /** Whether the database could be written throughout this time. */
  couldWriteFor(milliseconds: number): boolean {
    return performance.now() - this.#failedAt > milliseconds
  }

  /** Whether another server would be a better leader, since none of the others reaches this one. */
  get isBehindAnother(): boolean {
    return this.#placement.isBehindAnother(this.#options.server.address)
  }

  /** Whether that has been so for some time, by reports that could be read a moment ago. */
  get isCutOff(): boolean {
    return (
      this.#problem === null &&
      this.isBehindAnother &&
      this.#placement.unreached().includes(this.#options.server.address)
    )
  }

  /** The addresses that need a look, for operators. */
  addressProblems(): readonly string[] {
    const { name, address } = this.#options.server
    const unreached = this.#placement.unreached()
    const shared = this.#shared
    const isShared = shared !== null && performance.now() - shared.at < SHARED_FOR_MS
    return [
      ...this.#servers
        .filter((server) => unreached.includes(server.address))
        .map((server) => `No other server reaches ${server.name} at ${server.address}`),
      ...(isShared
        ? [`The servers ${name} and ${shared.name} both say that they are reached at ${address}`]
        : []),
    ]
  }

  /** The difference of the clock of this machine from that of the database where it is large, for operators. */
  clockProblems(): readonly string[] {
    if (this.#ahead === null) return []
    const difference = this.#options.clock() - (performance.now() + this.#ahead)
    if (Math.abs(difference) < MAX_CLOCK_DIFFERENCE_MS) return []
    const minutes = Math.round(Math.abs(difference) / MINUTE_MS)
    const place = difference > 0 ? 'ahead of' : 'behind'
    return [
      `The clock of this server is ${minutes} min ${place} that of the database: its log-ins, tokens and times go by it`,
    ]
  }

  /** The error of the last query; null when it succeeded. */
  get problem(): string | null {
    return this.#problem
  }

  list(newest: number): readonly SeenServer[] {
    return this.#servers.map((server) => ({
      ...server,
      lag: Math.max(0, newest - server.sequence),
    }))
  }

  /**
   * Records that this server runs and its position in the log, and reads the others. Never fails.
   */
  async look(sequence: number): Promise<void> {
    const { driver } = this.#options
    try {
      await this.#note(driver, sequence)
      await driver.query(FORGET)
      const asked = performance.now()
      const rows = await driver.query(SEEN)
      const [first] = rows
      if (first !== undefined) this.#ahead = aheadIn(first, asked)
      this.#take(rows)
      this.#problem = null
    } catch (error) {
      this.#problem = describeDatabaseError(error)
      this.#failedAt = performance.now()
    }
  }

  /** Removes this server at once, so that the others need not wait for its silence. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { driver, server } = this.#options
    this.#leader?.end.abort()
    await this.#reach[Symbol.asyncDispose]()
    // A database that is away notices by itself.
    await driver.query(LEAVE, server.address).catch(() => undefined)
  }

  async #note(driver: Driver, sequence: number): Promise<void> {
    const { name, address } = this.#options.server
    const reaches = JSON.stringify(this.#reach.reached())
    const noted = [address, name, sequence, reaches, this.#instance]
    const [before] = await driver.query(NOTE, address, ...noted)
    // The row of a process that ran here before is taken over once, by the first note.
    const isOthers = this.#hasNoted && before !== undefined && before['instance'] !== this.#instance
    if (isOthers) this.#shared = { name: textColumn(before, 'name'), at: performance.now() }
    this.#hasNoted = true
  }

  #take(rows: readonly SqlRow[]): void {
    this.#servers = rows.map(serverOf)
    this.#placement.note(rows.filter(isAlive).map(placedServerOf))
    const { address: own } = this.#options.server
    const asked = rows.filter((row) => isAlive(row) || row['epoch'] !== null)
    const addresses = asked.map((row) => textColumn(row, 'address'))
    this.#reach.follow(addresses.filter((address) => address !== own))
    const row = rows.find(({ epoch }) => epoch !== null)
    const epoch = row === undefined ? null : numberOf(row, 'epoch')
    if (epoch === (this.#leader?.epoch ?? null)) return
    this.#leader?.end.abort()
    this.#leader =
      row === undefined || epoch === null
        ? null
        : { epoch, address: textColumn(row, 'address'), end: new AbortController() }
  }
}

/** Whether any server was heard of a moment ago. */
export async function isAnyAlive(driver: Driver): Promise<boolean> {
  return (await driver.query(ALIVE)).length > 0
}

function isAlive(row: SqlRow): boolean {
  return numberOf(row, 'silence') <= ALIVE_WITHIN_SECONDS
}

function placedServerOf(row: SqlRow): PlacedServer {
  const reaches = row['reaches'] === null ? 'null' : textColumn(row, 'reaches')
  return { address: textColumn(row, 'address'), reaches: Addresses.parse(JSON.parse(reaches)) }
}

function serverOf(row: SqlRow): Omit<SeenServer, 'lag'> {
  return {
    name: textColumn(row, 'name'),
    address: textColumn(row, 'address'),
    sequence: numberOf(row, 'sequence'),
    silence: numberOf(row, 'silence'),
    isHolder: row['epoch'] !== null,
  }
}

/** A server in the database: its advertised address, and the other servers that it reaches. */
interface PlacedServer {
  readonly address: string
  /** Null when the server does not report it. */
  readonly reaches: readonly string[] | null
}

/** The time without being reached by any other server after which that counts. */
const UNREACHED_AFTER_MS = 5_000

/**
 * Tells which servers the others reach. A server that none of them reaches must not lead when
 * another one is reached: agents that call the others would wait for it.
 */
class ServerPlacement {
  #servers: readonly PlacedServer[] = []
  /** Since when none of the others has reached a server, by the clock of this process. */
  #unreachedSince = new Map<string, number>()

  /** Takes the present reports of the live servers. */
  note(servers: readonly PlacedServer[]): void {
    const now = performance.now()
    const before = this.#unreachedSince
    this.#servers = servers
    this.#unreachedSince = new Map(
      servers
        .filter(({ address }) => this.#isUnreached(address))
        .map(({ address }) => [address, before.get(address) ?? now]),
    )
  }

  /** The servers that none of the others has reached for some time. */
  unreached(): readonly string[] {
    const since = performance.now() - UNREACHED_AFTER_MS
    return [...this.#unreachedSince].filter(([, at]) => at <= since).map(([address]) => address)
  }

  /** Whether another server is a better leader now. */
  isBehindAnother(address: string): boolean {
    return this.#isUnreached(address) && this.#servers.some((each) => this.#isReached(each))
  }

  #isUnreached(address: string): boolean {
    const others = this.#servers.filter((each) => each.address !== address && each.reaches !== null)
    return others.length > 0 && !others.some(({ reaches }) => reaches?.includes(address))
  }

  #isReached({ address }: PlacedServer): boolean {
    return this.#servers.some((each) => each.address !== address && each.reaches?.includes(address))
  }
}
