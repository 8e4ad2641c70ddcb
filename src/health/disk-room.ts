import { accessSync, constants, statfsSync } from 'node:fs'
import { describeFault } from '../core/faults.ts'

/** A folder, and a description of its content. */
export interface WatchedFolder {
  readonly what: string
  readonly folder: string
}

/** Bytes below which a disk counts as full: the next change or job may not fit. */
const MIN_FREE_BYTES = 1_048_576

/** A sentence for each folder that takes no change: its disk is full or read-only, or it is gone. */
export function findDiskProblems(folders: readonly WatchedFolder[]): readonly string[] {
  return folders.flatMap(({ what, folder }) => {
    const left = bytesLeft(folder)
    if (typeof left === 'string') return [`The folder of ${what} cannot be looked at: ${left}`]
    const obstacle = writeObstacle(folder)
    if (obstacle !== null) return [`The folder of ${what} cannot be written: ${obstacle}`]
    if (left >= MIN_FREE_BYTES) return []
    return [`The disk of ${what} is full: what would change it is refused until there is room`]
  })
}

/** Whether a folder's disk has no space for another change. */
export function isOnFullDisk(folder: string): boolean {
  const left = bytesLeft(folder)
  return typeof left === 'number' && left < MIN_FREE_BYTES
}

/** The free bytes, or why they are unknown. */
function bytesLeft(folder: string): number | string {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch (error) {
    return describeFault(error)
  }
}

/** The reason why nothing can be written in a folder, such as a disk that has become read-only. */
function writeObstacle(folder: string): string | null {
  try {
    accessSync(folder, constants.W_OK)
    return null
  } catch (error) {
    return describeFault(error)
  }
}
