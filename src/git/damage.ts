import { ServiceError } from '../core/errors.ts'
import type { CommitSha } from '../core/revision.ts'

/** An object of the repository cannot be read any more, and will not be until it is mended. */
export class DamageError extends ServiceError<'unavailable'> {
  override readonly name: string = 'DamageError'

  constructor(reason: string, cause?: unknown) {
    super('unavailable', reason, { reason }, { cause })
  }
}

export function damagedObject(oid: string, cause?: unknown): DamageError {
  return new DamageError(`The repository is damaged: its object ${oid} cannot be read`, cause)
}

/** Above the largest document, and what is checked out beside it, by a safe distance. */
export const LARGEST_OBJECT = 64 * 1024 * 1024

/** An object is not read: a commit of a megabyte may hold a file of gigabytes. */
export class TooLargeError extends DamageError {
  override readonly name = 'TooLargeError'
  readonly size: number

  constructor(oid: string, size: number) {
    super(`Its object ${oid} has ${size} bytes; at most ${LARGEST_OBJECT} are read`)
    this.size = size
  }
}

/** What an operator can do about any damage. */
const ADVICE =
  'Stop the service and run cairn doctor --repair, with --from and a clone that has what is missing'

/** Why a revision cannot be read, with its commit and what to do. */
export function unreadable(commit: CommitSha, why: string, cause?: unknown): DamageError {
  return new DamageError(
    `The configuration of commit ${commit} cannot be read: ${why}. ${ADVICE}`,
    cause,
  )
}
