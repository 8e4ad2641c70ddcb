import type { FsPromises } from './fs-promises.ts'
import { fsErrorCode } from './fs-error.ts'

/** What file systems say that have no way, and no need, to sync a folder. */
const NOT_SYNCABLE = ['EISDIR', 'EINVAL', 'ENOTSUP', 'EPERM']

/** Makes created, renamed and removed names in a folder survive a power cut. */
export async function syncFolder(fs: FsPromises, folder: string): Promise<void> {
  try {
    await syncOpened(fs, folder)
  } catch (error) {
    if (!NOT_SYNCABLE.includes(fsErrorCode(error) ?? '')) throw error
  }
}

async function syncOpened(fs: FsPromises, folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
