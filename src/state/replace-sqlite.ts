import nodeFs from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FsPromises } from '../storage/fs-promises.ts'
import { syncFolder } from '../storage/sync-folder.ts'

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
