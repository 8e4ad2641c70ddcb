import { ServiceError } from '../core/errors.ts'
import { plural } from '../lib/plural.ts'
import { numberedEntry } from './audit-log.ts'
import { auditLine, jsonOf, VERSION_WITH_AUDIT } from './dump.ts'
import { loadSqliteState } from './open-sqlite.ts'
import { type SqlRow, type SqlValue, numberOf, textColumn } from './sql.ts'
import { connectTo } from './sqlite-driver.ts'
import { storeUnavailable } from './unavailable.ts'
import nodeFs from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FsPromises } from '../storage/fs-promises.ts'
import type { SqliteConnection } from '../storage/sqlite-connection.ts'
import { syncFolder } from '../storage/sync-folder.ts'

const CHUNK = 500
const TABLES = ['counter', 'list', 'document'] as const
type Table = (typeof TABLES)[number]

/**
 * Builds a new store from the tables of a damaged one, without its indexes, which are rebuilt.
 * Every row has to be readable: a row that an index contains but its table has lost cannot be
 * recovered.
 *
 * @throws {ServiceError} `unavailable` when the tables cannot be read, or have lost rows.
 */
export async function salvageSqliteState(damaged: string, target: string): Promise<void> {
  using connection = connectTo(damaged)
  const found = connection.run("SELECT name FROM sqlite_schema WHERE type = 'table'")
  const names = found.map((row) => textColumn(row, 'name'))
  for (const table of ['meta', ...TABLES]) {
    if (!names.includes(table)) throw storeUnavailable(`${damaged} has no table "${table}"`)
  }
  for (const table of TABLES) {
    const lost = lostRows(connection, table)
    if (lost === 0) continue
    const rows = `${lost} ${plural(lost, 'row')}`
    throw storeUnavailable(`${damaged} has lost ${rows} of its table "${table}"`)
  }
  await loadSqliteState(target, linesOf(connection))
}

/** An unreadable index cannot prove that rows are missing. */
function lostRows(connection: SqliteConnection, table: Table): number {
  const indexed = `SELECT rowid AS r FROM ${table} INDEXED BY sqlite_autoindex_${table}_1`
  const stored = `SELECT rowid FROM ${table} NOT INDEXED`
  try {
    const [row] = connection.run(
      `SELECT COUNT(*) AS n FROM (${indexed}) WHERE r NOT IN (${stored})`,
    )
    return numberOf(row, 'n')
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return 0
  }
}

/** The store as a dump, read table by table in the order of the rows. */
async function* linesOf(connection: SqliteConnection): AsyncGenerator<string> {
  const [meta] = connection.run("SELECT n FROM meta NOT INDEXED WHERE key = 'version'")
  yield JSON.stringify({ version: numberOf(meta, 'n') })
  let lines = 1
  for (const table of TABLES) {
    for (const row of rowsOf(connection, table)) {
      yield JSON.stringify(LINES[table](row))
      lines += 1
    }
  }
  yield JSON.stringify({ lines })
  if (numberOf(meta, 'n') < VERSION_WITH_AUDIT) return
  let entries = 0
  for (const row of rowsOf(connection, 'audit_entry')) {
    yield auditLine(numberedEntry(row))
    entries += 1
  }
  yield JSON.stringify({ entries })
}

function* rowsOf(connection: SqliteConnection, table: Table | 'audit_entry'): Generator<SqlRow> {
  const text = `SELECT rowid AS r, * FROM ${table} NOT INDEXED WHERE rowid > ? ORDER BY rowid LIMIT ?`
  let after: SqlValue = 0
  for (;;) {
    const rows = connection.run(text, after, CHUNK)
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = numberOf(last, 'r')
  }
}

const LINES: Readonly<Record<Table, (row: SqlRow) => object>> = {
  counter: (row) => ({ counter: textColumn(row, 'key'), n: numberOf(row, 'n') }),
  list: (row) => ({
    list: textColumn(row, 'key'),
    ord: numberOf(row, 'ord'),
    id: textColumn(row, 'id'),
  }),
  document: (row) => ({
    document: textColumn(row, 'kind'),
    key: textColumn(row, 'key'),
    value: jsonOf(textColumn(row, 'json'), 'a document'),
  }),
}

/**
 * Replaces an unused store by a complete, durable file.
 *
 * SQLite would apply the log of the old file to the new one, and without a file a start would
 * create a new store. So an empty file, with which nothing starts, is there while the log is
 * removed.
 */
export async function replaceSqliteState(
  file: string,
  made: string,
  fs: FsPromises = nodeFs,
): Promise<void> {
  const folder = dirname(file)
  await fs.writeFile(`${made}.empty`, '', { mode: 0o600 })
  await fs.rename(`${made}.empty`, file)
  await syncFolder(fs, folder)
  for (const suffix of ['-wal', '-shm']) await fs.rm(`${file}${suffix}`, { force: true })
  await syncFolder(fs, folder)
  await fs.rename(made, file)
  await syncFolder(fs, folder)
}
