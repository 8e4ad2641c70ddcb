import { ServiceError } from '../core/errors.ts'
import type { CommitSha, Revision } from '../core/revision.ts'

/** An object of the repository cannot be read any more, and will not be until it is mended. */
export class DamageError extends ServiceError<'unavailable'> {
  override readonly name = 'DamageError'

  constructor(reason: string, cause?: unknown) {
    super('unavailable', reason, { reason }, { cause })
  }
}

export function damagedObject(oid: string, cause?: unknown): DamageError {
  return new DamageError(`The repository is damaged: its object ${oid} cannot be read`, cause)
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

/** A revision whose document is damaged. */
export interface UnreadableRevision {
  readonly revision: Revision
  readonly reason: string
}

/** More of them are one damage, which the first of them show. */
const MOST = 50

/** The revisions that were asked for and could not be read, until they can be read again. */
export class UnreadableRevisions {
  readonly #known = new Map<CommitSha, UnreadableRevision>()

  list(): readonly UnreadableRevision[] {
    return [...this.#known.values()]
  }

  /** Whether this is news. */
  add(revision: Revision, { message }: DamageError): boolean {
    const { commit } = revision
    if (this.#known.has(commit) || this.#known.size === MOST) return false
    this.#known.set(commit, { revision, reason: message })
    return true
  }

  /** Whether it was among them. */
  delete({ commit }: Revision): boolean {
    return this.#known.delete(commit)
  }
}
