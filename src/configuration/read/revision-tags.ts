import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import { whyNoTag } from '../../history/tags/tag-refs.ts'
import type { History } from '../../history/history.ts'
import { lastMomentOf } from '../../lib/moments.ts'
import { type Access, assertMay } from '../access/permission.ts'
import { findRevisionNamed, isNameOfRevision } from './named-revision.ts'

export interface TaggingDeps {
  readonly history: History
  readonly access: Access
}

/** A tag of a revision, by the names that a caller gives. */
export interface TagRequest {
  readonly revision: string
  readonly name: string
}

/**
 * Tags a revision. Returns it.
 *
 * @throws {ServiceError} `malformed-request` for a name that git does not take, or that names a revision
 * otherwise; `revision-not-found`, `name-in-use`, `not-permitted`, `unavailable`.
 */
export async function tagRevision(
  { history, access }: TaggingDeps,
  principal: Principal,
  { revision: named, name }: TagRequest,
): Promise<Revision> {
  assertMay(access, principal, { action: 'administer' })
  const means = isNameOfRevision(name) || lastMomentOf(name) !== null
  const why = whyNoTag(name) ?? (means ? 'names a revision already' : null)
  if (why !== null) {
    const message = `The name "${name}" ${why}`
    throw new ServiceError('malformed-request', message, { problems: [{ message, path: 'name' }] })
  }
  const revision = await findRevisionNamed(history, named)
  await history.tags.add(name, revision.commit)
  return revision
}

/**
 * Removes a tag of a revision. Returns the revision.
 *
 * @throws {ServiceError} `revision-not-found`, `tag-not-found`, `not-permitted`, `unavailable`.
 */
export async function untagRevision(
  { history, access }: TaggingDeps,
  principal: Principal,
  { revision: named, name }: TagRequest,
): Promise<Revision> {
  assertMay(access, principal, { action: 'administer' })
  const revision = await findRevisionNamed(history, named)
  if (await history.tags.remove(name, revision.commit)) return revision
  const message = `The revision ${named} has no tag ${name}`
  throw new ServiceError('tag-not-found', message, { name })
}
