import { pathToFileURL } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { DatabaseSync } from './sqlite-engine.ts'

/** Long enough for a writer to end its transaction; a reader may take any time. */
const BUSY_TIMEOUT_MS = 100

parentPort?.on('message', (file: string) => {
  parentPort?.postMessage(copyLog(file), [])
})

/**
 * Copies the log of a SQLite file into the file, and begins the log anew; false where others use it. Most is copied while
 * others write, and what they wrote meanwhile while they may not. The first page of the new log is written here, because
 * its header is synced.
 */
function copyLog(file: string): boolean {
  // A file that was removed meanwhile is not made again.
  const database = new DatabaseSync(`${pathToFileURL(file).href}?mode=rw`)
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    database.exec('PRAGMA synchronous = NORMAL')
    database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    const { busy } = database.prepare('PRAGMA wal_checkpoint(RESTART)').get() ?? {}
    if (busy !== 0) return false
    database.exec('PRAGMA user_version = 0')
    return true
  } finally {
    database.close()
  }
}
