import nodeFs, { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditShare } from '../../core/service/audit.ts'
import { unavailable } from '../../core/errors.ts'
import type { AuditLog, AuditRow } from '../../state/audit-log.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { syncFolder } from '../../storage/sync-folder.ts'

/** Such as `audit-000000000000001.jsonl`: its first number is in its name. */
const FILE = /^(audit|refusals)-(\d{15})\.jsonl$/
const NUMBER = /^\{"id":(\d{1,15}),/

/**
 * Moves the files in which earlier versions kept the audit log into the state store, with their
 * numbers. A move that was cut off goes on at the next start.
 */
export async function moveFormerFiles(folder: string, log: AuditLog): Promise<void> {
  const former = await listFormer(folder)
  for (const file of former) {
    await log.takeIn(rowsOf(file, await readFile(join(folder, file), 'utf8')))
  }
  for (const file of former) await rm(join(folder, file))
  if (former.length > 0) await syncFolder(nodeFs, folder)
}

/** @throws {ServiceError} `unavailable` where an earlier version has left an audit log. */
export async function assertNoFormerFiles(folder: string): Promise<void> {
  const [file] = await listFormer(folder)
  if (file !== undefined) {
    throw unavailable(`${folder} has an audit log already: move its files away`)
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
