import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fsErrorCode, isThere } from './fs-error.ts'

const NAME = 'reserve'
/**
 * Enough for locks, the log of the state store and an entry of the audit log, several times over.
 */
const SIZE = 262_144

/**
 * Reserves space on a folder's disk, for a start with a full disk. Random bytes, which no disk can
 * compress.
 */
export async function makeReserve(folder: string): Promise<void> {
  try {
    await writeFile(join(folder, NAME), randomBytes(SIZE), { flag: 'wx', flush: true })
  } catch (error) {
    const code = fsErrorCode(error) ?? ''
    if (code === 'EEXIST') return
    if (!['ENOSPC', 'EDQUOT', 'EROFS'].includes(code)) throw error
    await freeReserve(folder)
  }
}

/** Whether a start has reserved space in a folder: something has run there. */
export async function hasReserve(folder: string): Promise<boolean> {
  return isThere(join(folder, NAME))
}

export async function freeReserve(folder: string): Promise<void> {
  await rm(join(folder, NAME), { force: true })
}
