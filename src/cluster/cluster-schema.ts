import type { Driver, SqlQuery } from '../state/sql.ts'
import type { Upgrade } from '../state/upgrades.ts'

/** The tables beside those of the state. Never change an upgrade: add another. */
export const CLUSTER_UPGRADES: readonly Upgrade[] = [
  createTables,
  createLog,
  createServers,
  createLogBase,
  createAudit,
  createReach,
  createRefLog,
]

async function createTables(
  query: SqlQuery,
  { textType }: Pick<Driver, 'textType'>,
): Promise<void> {
  await query(`CREATE TABLE lease (name ${textType} PRIMARY KEY, epoch BIGINT NOT NULL,
    holder TEXT NOT NULL, until TIMESTAMPTZ NOT NULL)`)
  await query(`CREATE TABLE shared_file (key ${textType} PRIMARY KEY, value TEXT NOT NULL)`)
}

/**
 * The newest entry is the position of the branch; its key makes one of two concurrent appends fail.
 */
async function createLog(query: SqlQuery, { textType }: Pick<Driver, 'textType'>): Promise<void> {
  await query(`CREATE TABLE log_entry (sequence BIGINT PRIMARY KEY,
    commit_sha ${textType} NOT NULL UNIQUE)`)
  await query(`CREATE TABLE log_pack (sequence BIGINT NOT NULL, part BIGINT NOT NULL,
    bytes BYTEA NOT NULL, PRIMARY KEY (sequence, part))`)
}

/** Creates the table of servers: their names, addresses and positions in the log. */
async function createServers(
  query: SqlQuery,
  { textType }: Pick<Driver, 'textType'>,
): Promise<void> {
  await query('ALTER TABLE lease ADD COLUMN address TEXT')
  await query(`CREATE TABLE server (address ${textType} PRIMARY KEY, name TEXT NOT NULL,
    sequence BIGINT NOT NULL, seen TIMESTAMPTZ NOT NULL)`)
}

/** There is one base at most, under the only name; parts of another attempt are of one that was not finished. */
async function createLogBase(
  query: SqlQuery,
  { textType }: Pick<Driver, 'textType'>,
): Promise<void> {
  await query(`CREATE TABLE log_base (name ${textType} PRIMARY KEY, sequence BIGINT NOT NULL,
    attempt ${textType} NOT NULL, parts BIGINT NOT NULL, size BIGINT NOT NULL)`)
  await query(`CREATE TABLE log_base_part (attempt ${textType} NOT NULL, part BIGINT NOT NULL,
    bytes BYTEA NOT NULL, PRIMARY KEY (attempt, part))`)
}

/** An entry of the audit log is a row, in the share of the log that it counts for. */
async function createAudit(query: SqlQuery, { textType }: Pick<Driver, 'textType'>): Promise<void> {
  await query(`CREATE TABLE IF NOT EXISTS audit_entry (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    share ${textType} NOT NULL, json TEXT NOT NULL)`)
}

/**
 * Records which other servers a server reaches, and its process. Servers of an older version record
 * neither.
 */
async function createReach(query: SqlQuery): Promise<void> {
  await query('ALTER TABLE server ADD COLUMN reaches TEXT, ADD COLUMN instance TEXT')
}

/** Each move of the refs beside the branch, with the objects that it adds. */
async function createRefLog(query: SqlQuery): Promise<void> {
  await query(`CREATE TABLE log_ref_move (sequence BIGINT PRIMARY KEY, refs TEXT NOT NULL,
    bytes BYTEA NOT NULL)`)
}
