import { type Driver, type SqlQuery, type WriteSession, numberOf } from './sql.ts'
import { storeUnavailable } from './unavailable.ts'

/** Upgrades a store by one version, in the given transaction. */
export type Upgrade = (query: SqlQuery, driver: Pick<Driver, 'textType'>) => Promise<void>

/** A store's version is the number of applied upgrades. Never change one: add another. */
export const UPGRADES: readonly Upgrade[] = [createTables]

/**
 * Upgrades an open store to the newest version.
 *
 * @throws {ServiceError} `unavailable` when the store is not one of ours or is newer than this
 * program.
 */
export async function upgrade(driver: Driver, upgrades: readonly Upgrade[]): Promise<void> {
  if ((await versionOf(driver)) === upgrades.length) return
  const session = await driver.begin()
  try {
    await applyUpgrades(session, driver, { upgrades, from: await versionOf(driver) })
    await session.commit()
  } catch (error) {
    await session.rollback()
    throw error
  }
}

/** 0 for a database without a table. */
export async function versionOf(driver: Driver): Promise<number> {
  const tables = await driver.tables()
  if (tables.length === 0) return 0
  if (!tables.includes('meta')) throw storeUnavailable('the database belongs to another program')
  const [row] = await driver.query("SELECT n FROM meta WHERE key = 'version'")
  return numberOf(row, 'n')
}

export async function applyUpgrades(
  session: WriteSession,
  driver: Driver,
  { upgrades, from }: { readonly upgrades: readonly Upgrade[]; readonly from: number },
): Promise<void> {
  if (from > upgrades.length) {
    throw storeUnavailable(`it has version ${from}, and this program knows ${upgrades.length}`)
  }
  for (const apply of upgrades.slice(from)) await apply(session.query, driver)
  await session.query("UPDATE meta SET n = ? WHERE key = 'version'", upgrades.length)
}

async function createTables(
  query: SqlQuery,
  { textType }: Pick<Driver, 'textType'>,
): Promise<void> {
  await query(`CREATE TABLE meta (key ${textType} PRIMARY KEY, n BIGINT NOT NULL)`)
  await query("INSERT INTO meta (key, n) VALUES ('version', 1)")
  await query(`CREATE TABLE document (kind ${textType} NOT NULL, key ${textType} NOT NULL,
    json TEXT NOT NULL, PRIMARY KEY (kind, key))`)
  await query(`CREATE TABLE list (key ${textType} NOT NULL, ord BIGINT NOT NULL,
    id ${textType} NOT NULL, PRIMARY KEY (key, ord))`)
  await query(`CREATE TABLE counter (key ${textType} PRIMARY KEY, n BIGINT NOT NULL)`)
}
