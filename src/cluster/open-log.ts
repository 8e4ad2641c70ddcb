import type { RevisionLog } from '../history/log/revision-log.ts'
import { PostgresDriver } from '../state/postgres-driver.ts'
import { newerStore, storeUnavailable } from '../state/unavailable.ts'
import { versionOf } from '../state/upgrades.ts'
import { CLUSTER_UPGRADES } from './cluster-schema.ts'
import { PostgresLog } from './postgres-log.ts'

/** The log of a database, for commands that look at it beside the servers. */
export interface OpenedLog extends AsyncDisposable {
  readonly log: RevisionLog
}

/**
 * Opens the log of a database that servers have made, and changes nothing.
 *
 * @throws {ServiceError} `unavailable` when there is none, or it is one of another version.
 */
export async function openLog(url: string): Promise<OpenedLog> {
  const driver = new PostgresDriver(url)
  const close = () => driver[Symbol.asyncDispose]()
  try {
    const version = await versionOf(driver, 'cluster-version')
    const versions = `its log has version ${version}, and this program knows ${CLUSTER_UPGRADES.length}`
    if (version > CLUSTER_UPGRADES.length) throw newerStore(versions)
    if (version < CLUSTER_UPGRADES.length) throw storeUnavailable(versions)
    return { log: new PostgresLog(driver), [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}
