import { malformedRequest, ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import { whyNoTag } from '../../history/tags/tag-refs.ts'
import type { History } from '../../history/history.ts'
import { lastMomentOf } from '../../lib/moments.ts'
import { type Access, assertMay } from '../access/permission.ts'
import { revisionsInTurns } from '../search/in-turns.ts'
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
  const why = whyNoTag(name) ?? (await whyAmbiguous(history, name))
  if (why !== null) throw malformedRequest(`The name "${name}" ${why}`, 'name')
  const revision = await findRevisionNamed(history, named)
  await history.tags.add(name, revision.commit)
  return revision
}

/** Matches the beginning of a commit that git takes for the whole. */
const ABBREVIATION = /^[0-9a-f]{4,}$/i

/** Why a name would stand for something else too, here or in a clone, as the end of a sentence; null where it would not. */
async function whyAmbiguous(history: History, name: string): Promise<string | null> {
  if (isNameOfRevision(name) || lastMomentOf(name) !== null) return 'names a revision already'
  const branch = await history.readBranch()
  if ([branch, branch?.replace('refs/heads/', '')].includes(name)) return 'is that of the branch'
  if (!ABBREVIATION.test(name)) return null
  const start = name.toLowerCase()
  for await (const some of revisionsInTurns(history)) {
    if (some.some(({ commit }) => commit.startsWith(start))) return 'is the beginning of a commit'
  }
  return null
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
