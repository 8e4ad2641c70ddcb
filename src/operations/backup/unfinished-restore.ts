import nodeFs, { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { unavailable } from '../../core/errors.ts'
import { replaceFile } from '../../storage/durable-fs.ts'
import { isThere } from '../../storage/fs-error.ts'
import { syncFolder } from '../../storage/sync-folder.ts'

/** Marks a state folder from the beginning of a restore until everything was checked. */
export const UNFINISHED = 'restore.unfinished'

export function beginRestore(stateDir: string): Promise<void> {
  return replaceFile(join(stateDir, UNFINISHED), '')
}

export async function endRestore(stateDir: string): Promise<void> {
  await rm(join(stateDir, UNFINISHED))
  await syncFolder(nodeFs, stateDir)
}

/**
 * Refuses a folder with an unfinished restore: a service would create the missing half again.
 *
 * @throws {ServiceError} `unavailable`
 */
export async function assertRestored(stateDir: string): Promise<void> {
  const file = join(stateDir, UNFINISHED)
  if (!(await isThere(file))) return
  const reason = `A restore into ${stateDir} was not finished or found damage. Restore into empty folders, or remove ${file} to serve what is there`
  throw unavailable(reason)
}
