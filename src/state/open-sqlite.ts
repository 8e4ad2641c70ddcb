import { randomUUID } from 'node:crypto'
import nodeFs, { link, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFile, syncFolder } from '../storage/sync-folder.ts'
import { loadLines } from './dump.ts'
import { connectTo, SqliteDriver } from './sqlite-driver.ts'
import { StateStore } from './state-store.ts'
import { storeUnavailable } from './unavailable.ts'
import { assertUpgraded, UPGRADES, upgrade, versionOf, type Upgrade } from './upgrades.ts'

const PRIVATE = { mode: 0o600, flag: 'wx' }

export interface SqliteStateOptions {
  readonly upgrades?: readonly Upgrade[]
  /** Whether a store of an earlier version is refused, and not upgraded. */
  readonly asIs?: boolean
}

/**
 * Opens the state store in a SQLite file, and creates one if none exists.
 *
 * @throws {ServiceError} `unavailable` when the file is damaged, empty, newer than this program or
 * another program's; a store that cannot be read is never replaced by a new one.
 */
export async function openSqliteState(
  file: string,
  { upgrades = UPGRADES, asIs = false }: SqliteStateOptions = {},
): Promise<StateStore> {
  if (!(await isThere(file))) {
    // Two servers may start at once: the file that came first is opened below.
    await create(file, (driver) => upgrade(driver, upgrades))
  }
  const driver = new SqliteDriver(file)
  try {
    if ((await versionOf(driver)) === 0) throw storeUnavailable(`${file} holds no state`)
    if (asIs) await assertUpgraded(driver, upgrades)
    return new StateStore(driver, await upgrade(driver, upgrades))
  } catch (error) {
    await driver[Symbol.asyncDispose]()
    throw error
  }
}

/** Creates the file from a dump, completely or not at all. */
export async function loadSqliteState(
  file: string,
  lines: AsyncIterable<string>,
  upgrades: readonly Upgrade[] = UPGRADES,
): Promise<void> {
  const exists = () => storeUnavailable(`${file} exists already`)
  if (await isThere(file)) throw exists()
  const created = await create(file, (driver) => loadLines(driver, lines, upgrades))
  if (!created) throw exists()
}

/** Copies a store, also while a server writes to it. The copy is one complete, durable file. */
export async function copySqliteState(file: string, target: string): Promise<void> {
  if (!(await isThere(file))) throw storeUnavailable(`${file} does not exist`)
  const draft = draftOf(target)
  try {
    await vacuumInto(file, draft)
    await rename(draft, target)
    await syncFolder(nodeFs, dirname(target))
  } finally {
    await rm(draft, { force: true })
  }
}

/** A file without bytes, or a log without its file, is a store that was lost. */
async function isThere(file: string): Promise<boolean> {
  const size = await sizeOf(file)
  if (size === 0) throw storeUnavailable(`${file} is empty`)
  if (size !== null) return true
  if (((await sizeOf(`${file}-wal`)) ?? 0) === 0) return false
  throw storeUnavailable(`${file} is missing beside its log`)
}

async function sizeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

// A crash never leaves half a store: it is created under another name and appears as a copy,
// because SQLite may still hold open the file that it created.
async function create(
  file: string,
  fill: (driver: SqliteDriver) => Promise<unknown>,
): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true })
  const [draft, copy] = [draftOf(file), draftOf(file)]
  try {
    await writeFile(draft, '', PRIVATE)
    await withDriver(draft, fill)
    await vacuumInto(draft, copy)
    const created = await isLinked(copy, file)
    await syncFolder(nodeFs, dirname(file))
    return created
  } finally {
    const drafts = [draft, `${draft}-wal`, `${draft}-shm`, copy]
    await Promise.all(drafts.map((path) => rm(path, { force: true })))
  }
}

async function vacuumInto(file: string, target: string): Promise<void> {
  await writeFile(target, '', PRIVATE)
  using connection = connectTo(file, ['busy_timeout = 5000'])
  connection.run('VACUUM INTO ?', target)
  await syncFile(nodeFs, target)
}

async function withDriver(file: string, use: (driver: SqliteDriver) => Promise<unknown>) {
  await using driver = new SqliteDriver(file)
  await use(driver)
}

async function isLinked(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function draftOf(file: string): string {
  return `${file}.draft-${randomUUID()}`
}
