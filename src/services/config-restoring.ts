import type { Digest } from '../core/digest.ts'
import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import type { Change, History } from '../history/history.ts'
import { findRevision } from './config-reading.ts'
import { type Access, assertMay } from './permission.ts'

export interface ConfigRestoringDeps {
  readonly history: History
  readonly access: Access
}

export interface RestoreRequest {
  readonly commit: CommitSha
  /** Why, in the words of the caller; may be empty. */
  readonly reason: string
  /** The digest that the caller saw as the current one, or null to restore over whatever it is. */
  readonly basedOn: Digest | null
}

/**
 * Makes an older revision current again, as a new revision by the caller. Nothing that came since
 * is lost: it stays in the history.
 *
 * @throws {ServiceError} `revision-not-found`, `config-invalid` when the revision is not valid
 * today, `config-stale`, `not-permitted`.
 */
export async function restoreRevision(
  { history, access }: ConfigRestoringDeps,
  principal: Principal,
  { commit, reason, basedOn }: RestoreRequest,
): Promise<Change> {
  assertMay(access, principal, { action: 'administer' })
  const revision = findRevision({ history }, commit)
  const document = await history.readDocument(revision)
  const restore = async ({ revision: current }: { readonly revision: Revision }) => {
    if (basedOn !== null && basedOn !== current.digest) throw changedSince(current)
    return document
  }
  const number = history.numberOf(revision)
  const subject = `Restore r${number} by ${revision.username}${reason === '' ? '' : `: ${reason}`}`
  return history.change(principal.username, restore, { subject })
}

function changedSince({ digest, username }: Revision): ServiceError {
  const message = `The configuration has changed since: the current one, ${digest}, is by ${username}`
  return new ServiceError('config-stale', message, { current: digest, problems: [] })
}
