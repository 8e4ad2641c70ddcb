import type { RevisionLog } from '../history/log/revision-log.ts'
import type { Log } from '../lib/log.ts'
import { openPostgresState } from '../state/open-postgres.ts'
import { PostgresDriver } from '../state/postgres-driver.ts'
import type { StateStore } from '../state/state-store.ts'
import { UPGRADES, upgrade, versionOf } from '../state/upgrades.ts'
import { CLUSTER_UPGRADES } from './cluster-schema.ts'
import { PostgresLog } from './postgres-log.ts'
import { ServerLease } from './server-lease.ts'
import { SharedFiles } from './shared-files.ts'

export interface ClusterOptions {
  /** The address of the database. */
  readonly url: string
  /** What the other servers call this one. */
  readonly server: string
  /** Called before the first table of an empty database is made; throws to leave it empty. */
  readonly assertMayCreate: () => Promise<void>
  /** Called before this server serves or waits; throws when its files are not those of the others. */
  readonly assertFits: (files: SharedFiles) => Promise<void>
  /** Ends the wait. */
  readonly stop: AbortSignal
  readonly log: Log
}

/** One server's place among those that share a PostgreSQL database: it serves, and the others wait. */
export class Cluster implements AsyncDisposable {
  readonly files: SharedFiles
  /** Where moves of the configuration's branch become final. */
  readonly log: RevisionLog
  readonly #url: string
  readonly #driver: PostgresDriver
  readonly #lease: ServerLease
  /** Writes only while the lease is held. */
  readonly #writer: PostgresDriver

  private constructor(
    url: string,
    parts: { driver: PostgresDriver; lease: ServerLease; files: SharedFiles },
  ) {
    this.#url = url
    this.#driver = parts.driver
    this.#lease = parts.lease
    this.files = parts.files
    this.#writer = new PostgresDriver(url, parts.lease.fence)
    this.log = new PostgresLog(this.#writer)
  }

  /**
   * Creates or upgrades the tables, and takes the right to serve once no other server has it.
   *
   * @throws {ServiceError} `unavailable` when there is no such database, or it is newer than this
   * program. @throws the reason of `stop` once it is aborted.
   */
  static async join(options: ClusterOptions): Promise<Cluster> {
    const { url, server, assertMayCreate, assertFits } = options
    const driver = new PostgresDriver(url)
    try {
      if ((await versionOf(driver)) === 0) await assertMayCreate()
      await upgrade(driver, UPGRADES)
      await upgrade(driver, CLUSTER_UPGRADES, 'cluster-version')
      await assertFits(await SharedFiles.read(driver))
      const lease = await ServerLease.wait(driver, server, options)
      return new Cluster(url, { driver, lease, files: await SharedFiles.read(driver) })
    } catch (error) {
      await driver[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Aborted when another server has taken over: nothing can be written any more. */
  get superseded(): AbortSignal {
    return this.#lease.lost
  }

  openState(): Promise<StateStore> {
    return openPostgresState(this.#url, { fence: this.#lease.fence })
  }

  /** What an operator should look at. */
  problems(): readonly string[] {
    const { problem } = this.#lease
    return problem === null ? [] : [`The database does not answer: ${problem}`]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer[Symbol.asyncDispose]()
    await this.#lease[Symbol.asyncDispose]()
    await this.#driver[Symbol.asyncDispose]()
  }
}
