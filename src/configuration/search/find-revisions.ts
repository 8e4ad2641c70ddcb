import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { type Access, assertMay } from '../access/permission.ts'
import type { EntityIndex } from '../../index/entity-index.ts'
import { filterRevisions, isOpen, needsIndex, type RevisionFilter } from './revision-filter.ts'
import type { TextIndex } from '../../index/text-index.ts'

export interface RevisionSearchDeps {
  readonly history: History
  readonly access: Access
  readonly entities: EntityIndex
  readonly texts: TextIndex
}

/** A part of a list; all of it without a limit. */
export interface ListPart {
  readonly offset: number
  readonly limit: number | null
}

/** Every revision. */
export const EVERYTHING: RevisionFilter = {
  mentions: '',
  text: '',
  username: '',
  kind: null,
  entity: '',
  since: null,
  until: null,
  agents: true,
  withoutNoise: false,
}

/**
 * The revisions that a filter selects as far as they are indexed, newest first. No more are looked for
 * than the part of the list needs.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export async function findRevisions(
  { history, access, entities, texts }: RevisionSearchDeps,
  principal: Principal,
  filter: RevisionFilter,
  { offset, limit }: ListPart = { offset: 0, limit: null },
): Promise<readonly Revision[]> {
  assertMay(access, principal, { action: 'administer' })
  const end = limit === null ? Number.POSITIVE_INFINITY : offset + limit
  if (isOpen(filter) && filter.agents)
    return history.list({ offset, limit: limit ?? history.size() })
  if (needsIndex(filter)) await entities.settle()
  const found: Revision[] = []
  for await (const some of filterRevisions(filter, { history, entities, texts })) {
    found.push(...some)
    if (found.length >= end) break
  }
  return found.slice(offset, end)
}
