import { statfs } from 'node:fs/promises'
import { ServiceError } from '../../core/errors.ts'
import { fsErrorCode } from '../../storage/fs-error.ts'

const NO_ROOM: readonly (string | null)[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

/**
 * Disk space that consoles and artifacts leave free for everything else, in bytes and as a share of
 * the disk.
 */
const RESERVE = 64 * 1024 * 1024
const RESERVED_SHARE = 1 / 8

/**
 * The required share of the reserve. Starts of consoles may use half of it, or one large file would
 * fail every job.
 */
const LEFT = { file: 1, 'beginning of a console': 1 / 2 } as const

/**
 * Reserves space for the state of builds, without which no job can start or end.
 *
 * @throws {ServiceError} `disk-full` when so many more bytes would leave too little.
 */
export async function assertRoomFor(
  bytes: number,
  { folder, what }: { readonly folder: string; readonly what: keyof typeof LEFT },
): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const reserve = Math.min(RESERVE, blocks * bsize * RESERVED_SHARE)
  if (bavail * bsize - bytes < reserve * LEFT[what]) throw noRoom('ENOSPC')
}

/** @throws {ServiceError} `disk-full` when the work fails for lack of space. */
export async function orDiskFull<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    const code = fsErrorCode(cause)
    if (!NO_ROOM.includes(code)) throw cause
    throw noRoom(code ?? 'ENOSPC', cause)
  }
}

function noRoom(reason: string, cause?: unknown): ServiceError<'disk-full'> {
  const message = 'The disk of the server has no room left'
  return new ServiceError('disk-full', message, { reason }, { cause })
}
