import { loadLines } from './dump.ts'
import { type Fence, PostgresDriver } from './postgres-driver.ts'
import { StateStore } from './state-store.ts'
import { assertUpgraded, UPGRADES, upgrade, type Upgrade } from './upgrades.ts'

export interface PostgresStateOptions {
  readonly upgrades?: readonly Upgrade[]
  /** Called in each write transaction. */
  readonly fence?: Fence
  /** Whether an empty database and one of an earlier version are refused, and not filled or upgraded. */
  readonly asIs?: boolean
}

/**
 * Opens the state store in a PostgreSQL database, and creates the tables of an empty one.
 *
 * @throws {ServiceError} `unavailable`
 */
export async function openPostgresState(
  url: string,
  { upgrades = UPGRADES, fence, asIs = false }: PostgresStateOptions = {},
): Promise<StateStore> {
  const driver = new PostgresDriver(url, fence)
  try {
    if (asIs) await assertUpgraded(driver, upgrades)
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
