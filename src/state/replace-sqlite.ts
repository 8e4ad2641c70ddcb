import nodeFs from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FsPromises } from '../storage/fs-promises.ts'
import { syncFolder } from '../storage/sync-folder.ts'

/**
 * Puts a file that is made and on disk in the place of a store that nobody uses.
 *
 * SQLite would apply the log of the old file to the new one, and without a file a start would make
 * a new store. So while the log goes, an empty file is there, with which nothing starts.
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
