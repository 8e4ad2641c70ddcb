import { ServiceError } from '../../core/errors.ts'
import type { CommitSha } from '../../core/revision.ts'

/** An object of the repository cannot be read until it is repaired. */
export class DamageError extends ServiceError<'unavailable'> {
  override readonly name: string = 'DamageError'

  constructor(reason: string, cause?: unknown) {
    super('unavailable', reason, { reason }, { cause })
  }
}

export function damagedObject(oid: string, cause?: unknown): DamageError {
  return new DamageError(`The repository is damaged: its object ${oid} cannot be read`, cause)
}

/** Well above the largest document and the largest file that is checked out beside it. */
export const MAX_OBJECT_BYTES = 64 * 1024 * 1024

/** An object is too large to be read: a commit of a megabyte may hold a file of gigabytes. */
export class TooLargeError extends DamageError {
  override readonly name = 'TooLargeError'
  readonly size: number

  constructor(oid: string, size: number) {
    super(`Its object ${oid} has ${size} bytes; at most ${MAX_OBJECT_BYTES} are read`)
    this.size = size
  }
}

/** The advice for an operator about any damage. */
const ADVICE =
  'Stop the service and run cairn doctor --repair, with --from and a clone that has what is missing'

/** The sentence about a commit that the history needs, with the remedy. */
export function withoutCommit(commit: CommitSha): string {
  return `The repository has no commit ${commit}. ${ADVICE}`
}

/** The error for a revision that cannot be read, with its commit and the remedy. */
export function unreadable(commit: CommitSha, why: string, cause?: unknown): DamageError {
  return new DamageError(
    `The configuration of commit ${commit} cannot be read: ${why}. ${ADVICE}`,
    cause,
  )
}
