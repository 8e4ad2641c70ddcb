import { z } from 'zod'
import { groupBy } from '../lib/grouping.ts'
import { parseJsonOrNull } from '../lib/parse-json.ts'
import { type Driver, type SqlQuery, type WriteSession, numberOf, textColumn } from './sql.ts'
import { newerStore, storeUnavailable } from './unavailable.ts'

/** Upgrades a store by one version, in the given transaction. */
export type Upgrade = (
  query: SqlQuery,
  driver: Pick<Driver, 'textType' | 'numberedKey'>,
) => Promise<void>

/** The name under which a database has the version of one set of its tables. */
export type SchemaName = 'version' | 'cluster-version'

/** A store's version is the number of applied upgrades. Never change one: add another. */
export const UPGRADES: readonly Upgrade[] = [createTables, createAudit, fillRevisionLists]

const SET_VERSION = `INSERT INTO meta (key, n) VALUES (?, ?)
  ON CONFLICT (key) DO UPDATE SET n = excluded.n`

/**
 * Upgrades an open store to the newest version. Returns the version that it had; null when nothing
 * was upgraded, or a new store was made.
 *
 * @throws {ServiceError} `unavailable` when the store is not one of ours or is newer than this
 * program.
 */
export async function upgrade(
  driver: Driver,
  upgrades: readonly Upgrade[],
  name: SchemaName = 'version',
): Promise<number | null> {
  if ((await versionOf(driver, name)) === upgrades.length) return null
  const session = await driver.begin()
  try {
    const from = await versionOf(driver, name)
    await applyUpgrades(session, driver, { upgrades, from, name })
    await session.commit()
    return from === 0 || from === upgrades.length ? null : from
  } catch (error) {
    await session.rollback()
    throw error
  }
}

/**
 * Asserts that a store is not one of an earlier version: a server of that may be running on it.
 *
 * @throws {ServiceError} `unavailable`, with the way out; also for an empty database.
 */
export async function assertUpgraded(driver: Driver, upgrades: readonly Upgrade[]): Promise<void> {
  const version = await versionOf(driver)
  if (version === 0) throw storeUnavailable('the database holds no state')
  if (version >= upgrades.length) return
  const reason = `it is that of an earlier version of this program (${version}, and not ${upgrades.length})`
  throw storeUnavailable(`${reason}: stop the service, and start it with this version once`)
}

/** 0 for a database without these tables. */
export async function versionOf(driver: Driver, name: SchemaName = 'version'): Promise<number> {
  const tables = await driver.tables()
  if (tables.length === 0) return 0
  if (!tables.includes('meta')) throw storeUnavailable('the database belongs to another program')
  const [row] = await driver.query('SELECT n FROM meta WHERE key = ?', name)
  return row === undefined && name !== 'version' ? 0 : numberOf(row, 'n')
}

export async function applyUpgrades(
  session: WriteSession,
  driver: Driver,
  {
    upgrades,
    from,
    name = 'version',
  }: {
    readonly upgrades: readonly Upgrade[]
    readonly from: number
    readonly name?: SchemaName
  },
): Promise<void> {
  if (from > upgrades.length) {
    throw newerStore(`it has version ${from}, and this program knows ${upgrades.length}`)
  }
  for (const apply of upgrades.slice(from)) await apply(session.query, driver)
  await session.query(SET_VERSION, name, upgrades.length)
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

/** An entry of the audit log is a row, in the share of the log that it counts for. */
async function createAudit(
  query: SqlQuery,
  { textType, numberedKey }: Pick<Driver, 'textType' | 'numberedKey'>,
): Promise<void> {
  // The database of several servers may have the table from before it was one of the state.
  await query(`CREATE TABLE IF NOT EXISTS audit_entry (id ${numberedKey},
    share ${textType} NOT NULL, json TEXT NOT NULL)`)
}

/** The rows that are read or written at once. */
const MANY_ROWS = 500

const LISTED_RUN = z.object({ id: z.int(), configuration: z.object({ commit: z.string() }) })

/** Runs are found by the revision that scheduled them; those that did not record it are in no list. */
async function fillRevisionLists(query: SqlQuery): Promise<void> {
  const runs: { readonly key: string; readonly id: number; readonly list: string }[] = []
  for (let last = ''; ;) {
    const rows = await query(NEXT_RUNS, last, MANY_ROWS)
    for (const row of rows) {
      last = textColumn(row, 'key')
      const run = LISTED_RUN.safeParse(parseJsonOrNull(textColumn(row, 'json')))
      if (run.success) {
        runs.push({ key: last, id: run.data.id, list: `revision/${run.data.configuration.commit}` })
      }
    }
    if (rows.length < MANY_ROWS) break
  }
  for (const [list, all] of groupBy(runs, (run) => run.list)) {
    const inOrder = all.toSorted((one, other) => one.id - other.id)
    const rows = inOrder.map(({ key }, n) => [list, n + 1, key])
    for (let start = 0; start < rows.length; start += MANY_ROWS) {
      const some = rows.slice(start, start + MANY_ROWS)
      const values = some.map(() => '(?, ?, ?)').join(', ')
      await query(`INSERT INTO list (key, ord, id) VALUES ${values}`, ...some.flat())
    }
    await query('INSERT INTO counter (key, n) VALUES (?, ?)', `list:${list}`, rows.length)
  }
}

const NEXT_RUNS = `SELECT key, json FROM document WHERE kind = 'pipeline' AND key > ?
  ORDER BY key LIMIT ?`
