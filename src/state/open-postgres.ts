import { loadLines } from './dump.ts'
import { PostgresDriver } from './postgres-driver.ts'
import { StateStore } from './state-store.ts'
import { UPGRADES, upgrade, type Upgrade } from './upgrades.ts'

/**
 * Opens the state store in a PostgreSQL database, and creates the tables of an empty one.
 *
 * @throws {ServiceError} `unavailable`
 */
export async function openPostgresState(
  url: string,
  upgrades: readonly Upgrade[] = UPGRADES,
): Promise<StateStore> {
  const driver = new PostgresDriver(url)
  try {
    await upgrade(driver, upgrades)
    return new StateStore(driver)
  } catch (error) {
    await driver[Symbol.asyncDispose]()
    throw error
  }
}

/** Fills an empty database with a dump. */
export async function loadPostgresState(
  url: string,
  lines: AsyncIterable<string>,
  upgrades: readonly Upgrade[] = UPGRADES,
): Promise<void> {
  await using driver = new PostgresDriver(url)
  await loadLines(driver, lines, upgrades)
}
