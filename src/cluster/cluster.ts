import { reasonOf } from '../core/errors.ts'
import type { CommitSha } from '../core/revision.ts'
import { type SeenServers, silentServers } from '../core/service/seen-server.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { pause } from '../lib/pause.ts'
import { AuditLog, type AuditLogOptions } from '../state/audit-log.ts'
import { openPostgresState } from '../state/open-postgres.ts'
import { type Fence, PostgresDriver } from '../state/postgres-driver.ts'
import { databaseErrorKind } from '../state/postgres-errors.ts'
import { textColumn } from '../state/sql.ts'
import type { StateStore } from '../state/state-store.ts'
import { storeUnavailable } from '../state/unavailable.ts'
import { UPGRADES, upgrade, versionOf } from '../state/upgrades.ts'
import { CLUSTER_UPGRADES } from './cluster-schema.ts'
import { FollowedLog } from './followed-log.ts'
import { type Leader, isAnyAlive, Members } from './members.ts'
import { PostgresLog } from './postgres-log.ts'
import { GRACE_MS, type ThisServer, ServerLease } from './server-lease.ts'
import { SharedFiles } from './shared-files.ts'

export interface ClusterOptions {
  /** The address of the database. */
  readonly url: string
  /** The name of this server among the others. */
  readonly server: string
  /** Called before the first table of an empty database is made; throws to leave it empty. */
  readonly assertMayCreate: () => Promise<void>
  /**
   * Called before this server serves; throws when its files differ from the ones on the other
   * servers.
   */
  readonly assertFits: (files: SharedFiles) => Promise<void>
  /** Whether this server has used the database before: if so, it waits for one that is down. */
  readonly isMember: boolean
  /** Called once when this server begins to wait for the database. */
  readonly onWait: () => Promise<void>
  /** Ends a start that waits. */
  readonly stop: AbortSignal
  readonly clock: Clock
  readonly log: Log
}

/** The repository of this server, which follows the log. */
export interface Follower {
  /** The commit of its branch. */
  tip(): CommitSha | null
  /** Brings it to where the log is. Never fails. */
  follow(): Promise<void>
}

/** A time by the clock of this machine, and by the monotonic clock of this process. */
interface Moment {
  readonly at: number
  readonly since: number
}

/** The interval of polling the log and the other servers, so that a save is seen within a second. */
const POLL_INTERVAL_MS = 500
/** The interval of polling for an entry that a caller waits for. */
const WAIT_POLL_INTERVAL_MS = 50
const ISOLATION = 'read committed'
const UPGRADED = 'The tables of an earlier version were brought up to date'
/** Time without catching up with the log after which a server reports it. */
const LATE_AFTER_MS = 5_000

/**
 * The membership of one server among those that share a PostgreSQL database. Each follows the log
 * and saves; one has the lease and is the leader, which alone changes the state.
 */
export class Cluster implements AsyncDisposable {
  readonly files: SharedFiles
  /** The log in which moves of the configuration's branch become final. */
  readonly log: FollowedLog
  readonly #options: ClusterOptions
  readonly #driver: PostgresDriver
  readonly #server: ThisServer
  readonly #members: Members
  readonly #superseded = new AbortController()
  readonly #end = new AbortController()
  #lease: ServerLease | null
  #follower: Follower | null = null
  #looking: Promise<void> = Promise.resolve()
  #sequence = 0
  #newest = 0
  /** When this server last had the newest entry of the log; null before it serves. */
  #caughtUp: Moment | null = null

  private constructor(
    options: ClusterOptions,
    parts: {
      driver: PostgresDriver
      server: ThisServer
      lease: ServerLease | null
      files: SharedFiles
    },
  ) {
    const { driver, server } = parts
    this.#options = options
    this.#driver = driver
    this.#server = server
    this.#lease = null
    this.files = parts.files
    this.#members = new Members({ driver, server, clock: options.clock })
    const appended = (sequence: number) => this.#noteAppended(sequence)
    const mayRebase = () => this.isLeading
    this.log = new FollowedLog({ driver, fence: this.#fence, appended, mayRebase })
    if (parts.lease !== null) this.#lead(parts.lease)
  }

  /**
   * Creates or upgrades the tables. Takes the lead when there is no leader; otherwise waits until
   * the log has begun.
   *
   * @throws {ServiceError} `unavailable` when there is no such database, it cannot be used, or it is
   * newer than this program. @throws the reason of `stop` once it is aborted.
   */
  static async join(options: ClusterOptions): Promise<Cluster> {
    const { isMember, onWait, stop, log } = options
    for (let isWaiting = false; ; isWaiting = true) {
      stop.throwIfAborted()
      try {
        return await Cluster.#joinOnce(options)
      } catch (error) {
        if (!isMember || databaseErrorKind(error) !== 'outage') throw error
        const message = 'This server starts when the database is back'
        if (!isWaiting) {
          await onWait()
          log({ level: 'warning', message, facts: { reason: reasonOf(error) } })
        }
      }
      await pause(POLL_INTERVAL_MS, stop)
    }
  }

  static async #joinOnce(options: ClusterOptions): Promise<Cluster> {
    const { url, assertMayCreate, assertFits, log } = options
    const driver = new PostgresDriver(url)
    const server = { name: options.server, address: '' }
    try {
      await assertIsolation(driver)
      if ((await versionOf(driver)) === 0) await assertMayCreate()
      const from = await upgrade(driver, UPGRADES)
      const shared = await upgrade(driver, CLUSTER_UPGRADES, 'cluster-version')
      if (from !== null || shared !== null) log({ level: 'info', message: UPGRADED })
      await assertFits(await SharedFiles.read(driver))
      const lease = await begin(driver, server, options)
      return new Cluster(options, { driver, server, lease, files: await SharedFiles.read(driver) })
    } catch (error) {
      await driver[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Whether this server is the leader. */
  get isLeading(): boolean {
    return this.#lease !== null
  }

  /** Whether no other server can be the leader, so that the state in memory is current. */
  get isSurelyLeading(): boolean {
    return this.#lease?.isSure ?? false
  }

  /** Aborted when this server has to end; the reason is a sentence. */
  get superseded(): AbortSignal {
    return this.#superseded.signal
  }

  /**
   * Waits until there is no other leader, and takes the lead.
   *
   * @throws the reason of `stop` once it is aborted.
   */
  async waitForLease(stop: AbortSignal): Promise<void> {
    const { log } = this.#options
    const members = this.#members
    const mayLead = () => members.couldWriteFor(GRACE_MS) && !members.isBehindAnother
    this.#lead(await ServerLease.wait(this.#driver, this.#server, { mayLead, stop, log }))
  }

  /** Announces the address of this server, and follows the log from now on. */
  async serve(address: string, follower: Follower): Promise<void> {
    this.#server.address = address
    this.#follower = follower
    this.#noteCaughtUp(this.#now())
    await this.#lease?.announce()
    await this.#look()
    this.#looking = this.#lookAlways()
  }

  /** Opens the state, which only the leader changes. */
  openState(): Promise<StateStore> {
    return openPostgresState(this.#options.url, { fence: this.#fence })
  }

  /** Opens the state of users, which every server changes, leader or not. */
  openIdentities(): Promise<StateStore> {
    return openPostgresState(this.#options.url)
  }

  /** The audit log of all servers. */
  openAudit(options: AuditLogOptions): AuditLog {
    // Each entry is a transaction of its own, which waits for no other writer.
    const { query } = this.#driver
    return new AuditLog({ read: query, write: query }, options)
  }

  /** The leader; null while there is none, as far as this server knows. */
  leader(): Leader | null {
    const leader = this.#members.leader()
    const isItself = leader?.address === this.#server.address
    return isItself && !this.isSurelyLeading ? null : leader
  }

  /** The servers that were heard of lately. */
  seen(): SeenServers {
    const sequence = this.sequence()
    return {
      sequence,
      lag: Math.max(0, this.#newest - sequence),
      holder: this.leader()?.address ?? null,
      servers: this.#members.list(this.#newest),
    }
  }

  /** The newest entry of the log that this server has. */
  sequence(): number {
    const tip = this.#follower?.tip() ?? null
    this.#sequence = (tip === null ? null : this.log.sequenceOf(tip)) ?? this.#sequence
    return this.#sequence
  }

  /** Waits until this server has an entry of the log. Returns false after the time limit. */
  async waitFor(sequence: number, within: number): Promise<boolean> {
    const deadline = performance.now() + within
    while (this.sequence() < sequence) {
      if (performance.now() >= deadline || this.#end.signal.aborted) return false
      await this.#followTo(sequence)
      if (this.sequence() < sequence) await pause(WAIT_POLL_INTERVAL_MS, this.#end.signal)
    }
    return true
  }

  /** Why the database does not answer, for operators. */
  databaseProblems(): readonly string[] {
    const problem = this.#lease?.problem ?? this.#members.problem
    return problem === null ? [] : [problem]
  }

  /** Servers that need a look, for operators. */
  serverProblems(): readonly string[] {
    const silent = silentServers(this.seen()).map(
      ({ name, address }) => `The server ${name} at ${address} stopped without a word`,
    )
    return [...silent, ...this.#members.addressProblems(), ...this.#members.clockProblems()]
  }

  /** The age of the configuration on this server, when others may have a newer one; for operators. */
  lagProblems(): readonly string[] {
    const caughtUp = this.#caughtUp
    if (caughtUp === null || performance.now() - caughtUp.since < LATE_AFTER_MS) return []
    // The wording stays the same, so that pages need not be rendered again.
    const at = `${new Date(caughtUp.at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
    return [
      `This server shows the configuration as of ${at}, and has not caught up with the database since`,
    ]
  }

  /** @throws {ServiceError} `unavailable` when the database does not answer. */
  async assertThere(): Promise<void> {
    await this.log.head()
  }

  /** @throws {ServiceError} `unavailable` when nothing can be written to the database. */
  async assertWritable(): Promise<void> {
    const [row] = await this.#driver.query(`SELECT current_setting('transaction_read_only') AS is`)
    if (row?.['is'] === 'on') throw storeUnavailable('the database is read-only')
  }

  /** Milliseconds since the epoch, on which the servers of one database agree. */
  now(): number {
    return this.#lease?.now() ?? this.#options.clock()
  }

  /** Follows the log no longer. */
  async leave(): Promise<void> {
    this.#end.abort()
    await this.#looking
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave()
    await this.#members[Symbol.asyncDispose]()
    await this.#lease?.[Symbol.asyncDispose]()
    await this.#driver[Symbol.asyncDispose]()
  }

  readonly #fence: Fence = async (query) => {
    if (this.#lease === null) throw storeUnavailable('another server is the leader')
    await this.#lease.fence(query)
  }

  #lead(lease: ServerLease): void {
    this.#lease = lease
    const message = 'another server has taken over the database'
    lease.lost.addEventListener('abort', () => this.#superseded.abort(message))
  }

  async #lookAlways(): Promise<void> {
    for (;;) {
      await pause(POLL_INTERVAL_MS, this.#end.signal)
      if (this.#end.signal.aborted) return
      await this.#look()
    }
  }

  async #look(): Promise<void> {
    await this.#followTo(Infinity)
    await this.#members.look(this.sequence())
    if (this.isSurelyLeading && this.#members.isCutOff) await this.#resign()
  }

  /** Gives up the lead: the others forward calls to this server, and none of them reaches it. */
  async #resign(): Promise<void> {
    const { address } = this.#server
    this.#superseded.abort(`no other server reaches this one at ${address}: another one takes over`)
    await this.#lease?.resign()
  }

  /** Follows the log up to this sequence number, when it is ahead of this server. */
  async #followTo(wanted: number): Promise<void> {
    const asked = this.#now()
    const head = await this.log.head().catch(() => null)
    this.#newest = head?.sequence ?? this.#newest
    if (this.sequence() < Math.min(wanted, this.#newest)) await this.#follower?.follow()
    if (head !== null && this.sequence() >= head.sequence) this.#noteCaughtUp(asked)
  }

  #now(): Moment {
    return { at: this.#options.clock(), since: performance.now() }
  }

  /** Counts from the time of the query: its answer may have come long after. */
  #noteCaughtUp(asked: Moment): void {
    if (asked.since > (this.#caughtUp?.since ?? 0)) this.#caughtUp = asked
  }

  #noteAppended(sequence: number): void {
    this.#newest = Math.max(this.#newest, sequence)
  }
}

/**
 * Single statements run in the default isolation. In a stricter one, one of two concurrent statements
 * fails, and servers run concurrent statements all the time.
 */
async function assertIsolation(driver: PostgresDriver): Promise<void> {
  const [row] = await driver.query(`SELECT current_setting('transaction_isolation') AS level`)
  const level = textColumn(row, 'level')
  if (level === ISOLATION) return
  throw storeUnavailable(
    `the default_transaction_isolation of the database or of the role is "${level}": set it to "${ISOLATION}"`,
  )
}

/**
 * Takes the lead, or waits until the leader has begun the log. Other running servers take over before
 * this one, which has yet to open everything.
 */
async function begin(
  driver: PostgresDriver,
  server: ThisServer,
  { stop }: ClusterOptions,
): Promise<ServerLease | null> {
  const log = new PostgresLog(driver)
  for (;;) {
    stop.throwIfAborted()
    const mayLead = !(await isAnyAlive(driver))
    const outcome = await ServerLease.take(driver, server, () => mayLead).catch(
      (error: unknown) => {
        // A database that cannot be written can still be followed.
        if (databaseErrorKind(error) !== 'outage') throw error
        return null
      },
    )
    if (outcome instanceof ServerLease) return outcome
    if ((await log.head()) !== null) return null
    await pause(POLL_INTERVAL_MS, stop)
  }
}
