import nodeFs, { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditShare } from '../../core/service/audit.ts'
import { unavailable } from '../../core/errors.ts'
import type { AuditLog, AuditRow } from '../../state/audit-log.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { syncFolder } from '../../storage/sync-folder.ts'

/** Such as `audit-000000000000001.jsonl`: its first number is in its name. */
const FILE = /^(audit|refusals)-(\d{15})\.jsonl$/
/** The way out: a start takes the files in. */
export const START_FIRST = 'start the service once, which takes it into the state'
const NUMBER = /^\{"id":(\d{1,15}),/

/**
 * Moves the files in which earlier versions kept the audit log into the state store, with their
 * numbers, and returns how many entries they had. A move that was cut off goes on at the next start.
 */
export async function moveFormerFiles(folder: string, log: AuditLog): Promise<number> {
  const former = await listFormer(folder)
  let entries = 0
  for (const file of former) {
    const rows = [...rowsOf(file, await readFile(join(folder, file), 'utf8'))]
    await log.takeIn(rows)
    entries += rows.length
  }
  for (const file of former) await rm(join(folder, file))
  if (former.length > 0) await syncFolder(nodeFs, folder)
  return entries
}

/** @throws {ServiceError} `unavailable` where an earlier version has left an audit log, with the way out. */
export async function assertNoFormerFiles(folder: string, wayOut: string): Promise<void> {
  const [file] = await listFormer(folder)
  if (file !== undefined) {
    throw unavailable(`${folder} has the audit log of an earlier version: ${wayOut}`)
  }
}

async function listFormer(folder: string): Promise<readonly string[]> {
  const files = (await orNullWhenAbsent(readdir(folder))) ?? []
  return files.filter((file) => FILE.test(file)).toSorted()
}

/** A line without a number, which is damaged, continues the count; the text after the last line is torn. */
function* rowsOf(file: string, text: string): Generator<AuditRow> {
  const [, name = '', first = ''] = FILE.exec(file) ?? []
  const share: AuditShare = name === 'refusals' ? 'refusals' : 'actions'
  let next = Number(first)
  for (const line of text.split('\n').slice(0, -1)) {
    const [, digits] = NUMBER.exec(line) ?? []
    const id = digits === undefined ? next : Number(digits)
    next = id + 1
    yield { id, share, json: line }
  }
}
