import type { FsPromises } from './fs-promises.ts'
import { fsErrorCode } from './fs-error.ts'

/** The errors of file systems that cannot, and need not, sync a folder. */
const NOT_SYNCABLE = ['EISDIR', 'EINVAL', 'ENOTSUP', 'EPERM']

/** Makes created, renamed and removed names in a folder survive a power cut. */
export async function syncFolder(fs: FsPromises, folder: string): Promise<void> {
  try {
    await syncFile(fs, folder)
  } catch (error) {
    if (!NOT_SYNCABLE.includes(fsErrorCode(error) ?? '')) throw error
  }
}

/** Makes the content of a file survive a power cut. */
export async function syncFile(fs: FsPromises, file: string): Promise<void> {
  const handle = await fs.open(file, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
