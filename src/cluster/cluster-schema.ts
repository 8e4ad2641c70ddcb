import type { Driver, SqlQuery } from '../state/sql.ts'
import type { Upgrade } from '../state/upgrades.ts'

/** The tables beside those of the state. Never change an upgrade: add another. */
export const CLUSTER_UPGRADES: readonly Upgrade[] = [createTables]

async function createTables(
  query: SqlQuery,
  { textType }: Pick<Driver, 'textType'>,
): Promise<void> {
  await query(`CREATE TABLE lease (name ${textType} PRIMARY KEY, epoch BIGINT NOT NULL,
    holder TEXT NOT NULL, until TIMESTAMPTZ NOT NULL)`)
  await query(`CREATE TABLE shared_file (key ${textType} PRIMARY KEY, value TEXT NOT NULL)`)
}
