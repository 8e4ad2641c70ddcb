import { ServiceError } from '../../../core/errors.ts'
import { fsErrorCode } from '../../../storage/fs-error.ts'

const NO_ROOM: readonly (string | null)[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** @throws {ServiceError} `disk-full` when the work fails for lack of room. */
export async function orDiskFull<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    const code = fsErrorCode(cause)
    if (!NO_ROOM.includes(code)) throw cause
    const reason = code ?? 'ENOSPC'
    throw new ServiceError(
      'disk-full',
      'The disk of the server has no room left',
      { reason },
      { cause },
    )
  }
}
