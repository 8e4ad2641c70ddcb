import { z } from 'zod'
import { parseJsonOr } from '../lib/parse-json.ts'
import { MovedEntry } from '../core/service/audit.ts'
import { plural } from '../lib/plural.ts'
import { auditText, type NumberedEntry, readAuditEntries } from './audit-log.ts'
import { type Driver, type SqlQuery, type StoreSnapshot, numberOf, textColumn } from './sql.ts'
import { scanCounters, scanDocuments, scanLists } from './scan.ts'
import { storeUnavailable } from './unavailable.ts'
import { applyUpgrades, versionOf, type Upgrade } from './upgrades.ts'

const Version = z.strictObject({ version: z.int().positive() })
const Counter = z.strictObject({ counter: z.string(), n: z.int() })
const Item = z.strictObject({ list: z.string(), ord: z.int().positive(), id: z.string() })
const Document = z.strictObject({ document: z.string(), key: z.string(), value: z.json() })
const End = z.strictObject({ lines: z.int() })
const Line = z.union([Counter, Item, Document, End])
const AuditEnd = z.strictObject({ entries: z.int() })
const AuditLine = z.union([MovedEntry, AuditEnd])

/** The first version whose dumps always end with the audit log. */
export const VERSION_WITH_AUDIT = 2

/**
 * The whole store at one moment, as one JSON value per line. A line counts those of the documents,
 * and the last one the entries of the audit log, which follow them.
 */
export async function* dumpLines(driver: Driver): AsyncGenerator<string> {
  await using snapshot = await driver.snapshot()
  yield JSON.stringify({ version: await versionOf(driver) })
  let lines = 1
  for await (const line of contentLines(snapshot)) {
    yield line
    lines += 1
  }
  yield JSON.stringify({ lines })
  let entries = 0
  for await (const { share, entry } of readAuditEntries(snapshot.query)) {
    yield auditLine({ share, entry })
    entries += 1
  }
  yield JSON.stringify({ entries })
}

/** An entry without its number: it gets another one where it is loaded. */
export function auditLine({ share, entry: numbered }: NumberedEntry): string {
  const { id: _, ...entry } = numbered
  return JSON.stringify({ share, entry })
}

async function* contentLines({ query }: StoreSnapshot): AsyncGenerator<string> {
  for await (const row of scanCounters(query)) {
    yield JSON.stringify({ counter: textColumn(row, 'key'), n: numberOf(row, 'n') })
  }
  for await (const row of scanLists(query)) {
    const [list, ord, id] = [textColumn(row, 'key'), numberOf(row, 'ord'), textColumn(row, 'id')]
    yield JSON.stringify({ list, ord, id })
  }
  for await (const row of scanDocuments(query)) {
    const [document, key] = [textColumn(row, 'kind'), textColumn(row, 'key')]
    yield JSON.stringify({ document, key, value: jsonOf(textColumn(row, 'json'), 'a document') })
  }
}

/**
 * Fills an empty store with the output of `dumpLines`, completely or not at all, and upgrades it if
 * an older program wrote it.
 *
 * @throws {ServiceError} `unavailable` when the store is not empty or the dump is incomplete.
 */
export async function loadLines(
  driver: Driver,
  lines: AsyncIterable<string>,
  upgrades: readonly Upgrade[],
): Promise<void> {
  const session = await driver.begin()
  try {
    if ((await versionOf(driver)) > 0)
      throw storeUnavailable('a dump is loaded into an empty store only')
    const source = lines[Symbol.asyncIterator]()
    const version = await readVersion(source, upgrades)
    await applyUpgrades(session, driver, { upgrades: upgrades.slice(0, version), from: 0 })
    await insertLines(session.query, source)
    await applyUpgrades(session, driver, { upgrades, from: version })
    await insertEntries(session.query, source, version)
    await session.commit()
  } catch (error) {
    await session.rollback()
    throw error
  }
}

async function readVersion(
  source: AsyncIterator<string>,
  upgrades: readonly Upgrade[],
): Promise<number> {
  const first = await source.next()
  const version = Version.safeParse(first.done === true ? null : jsonOf(first.value, 'line 1'))
  if (!version.success) throw storeUnavailable('line 1 of the dump does not name its version')
  if (version.data.version <= upgrades.length) return version.data.version
  throw storeUnavailable(`the dump has version ${version.data.version}, newer than this program`)
}

async function insertLines(query: SqlQuery, source: AsyncIterator<string>): Promise<void> {
  let number = 1
  for (;;) {
    const next = await source.next()
    if (next.done === true)
      throw storeUnavailable(`the dump ends at line ${number} without its last line`)
    const line = Line.safeParse(jsonOf(next.value, `line ${number + 1}`))
    if (!line.success) throw storeUnavailable(`line ${number + 1} of the dump has an unknown form`)
    if ('lines' in line.data) {
      if (line.data.lines === number) return
      throw storeUnavailable(
        `the dump has ${number} ${plural(number, 'line')} and names ${line.data.lines}`,
      )
    }
    await insert(query, line.data)
    number += 1
  }
}

/** The audit log comes after the upgrades: a dump of the first version may have one, and no table for it. */
async function insertEntries(query: SqlQuery, source: AsyncIterator<string>, version: number) {
  for (let entries = 0; ; entries += 1) {
    const next = await source.next()
    if (next.done === true) {
      if (entries === 0 && version < VERSION_WITH_AUDIT) return
      throw storeUnavailable('the dump ends without the line that counts its audit log')
    }
    const line = AuditLine.safeParse(jsonOf(next.value, `entry ${entries + 1} of the audit log`))
    if (!line.success) {
      throw storeUnavailable(`entry ${entries + 1} of the audit log has an unknown form`)
    }
    if ('entries' in line.data) {
      if (line.data.entries === entries) return assertOver(source)
      throw storeUnavailable(`the dump has ${entries} entries and names ${line.data.entries}`)
    }
    const { share, entry } = line.data
    await query('INSERT INTO audit_entry (share, json) VALUES (?, ?)', share, auditText(entry))
  }
}

/** Two dumps in one file are no newer store: the first one would win. */
async function assertOver(source: AsyncIterator<string>): Promise<void> {
  if ((await source.next()).done !== true)
    throw storeUnavailable('the dump goes on after the line that counts its audit log')
}

async function insert(query: SqlQuery, line: Exclude<z.infer<typeof Line>, z.infer<typeof End>>) {
  if ('counter' in line) {
    await query('INSERT INTO counter (key, n) VALUES (?, ?)', line.counter, line.n)
  } else if ('list' in line) {
    await query('INSERT INTO list (key, ord, id) VALUES (?, ?, ?)', line.list, line.ord, line.id)
  } else {
    const { document, key, value } = line
    const json = JSON.stringify(value)
    await query('INSERT INTO document (kind, key, json) VALUES (?, ?, ?)', document, key, json)
  }
}

export function jsonOf(text: string, what: string): unknown {
  return parseJsonOr(text, (cause) => {
    throw storeUnavailable(`${what} is not JSON`, { cause })
  })
}
