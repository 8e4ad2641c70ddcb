import { type CommitSha, isCommitSha } from '../../core/revision.ts'
import { findRevisionNamed, mayNameRevision } from '../../configuration/read/named-revision.ts'
import type { Access } from '../../configuration/access/permission.ts'
import type { Principal } from '../../core/principal.ts'
import type { History } from '../../history/history.ts'
import { parseSha } from '../../http/parameters.ts'

export function isSha(name: string): boolean {
  return isCommitSha(name.toLowerCase())
}

/**
 * The name of a revision as a part of an address. Callers who may not hear which there are learn nothing of them.
 *
 * @throws {ServiceError} `malformed-request` for what is in no form of a name.
 */
export async function revisionInAddress(
  { history, access }: { readonly history: History; readonly access: Access },
  principal: Principal,
  [parameter, name]: readonly [parameter: string, name: string],
): Promise<string> {
  if (!access.may(principal, { action: 'administer-something' })) return encodeURIComponent(name)
  await history.tags.refresh()
  const isCommit = isSha(name) || !mayNameRevision(history, name)
  return isCommit ? parseSha(name, parameter) : encodeURIComponent(name)
}

/**
 * The commit that a caller names: by itself, or as a revision by its number, digest, tag or time.
 *
 * @throws {ServiceError} `malformed-request` for what is in no form of a name, `revision-not-found`.
 */
export async function commitNamed(
  { history }: { readonly history: History },
  [parameter, name]: readonly [parameter: string, name: string],
): Promise<CommitSha> {
  await history.tags.refresh()
  if (isSha(name) || !mayNameRevision(history, name)) return parseSha(name, parameter)
  return (await findRevisionNamed(history, name)).commit
}
