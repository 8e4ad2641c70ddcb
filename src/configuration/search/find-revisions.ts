import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { type Access, assertMay } from '../access/permission.ts'
import type { EntityIndex } from '../../index/entity-index.ts'
import { filterRevisions, isOpen, type RevisionFilter } from './revision-filter.ts'
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
 * The revisions that a filter selects, newest first, and none that it would select once everything is
 * indexed: what is needed of the indexes is waited for.
 *
 * @throws {ServiceError} `not-permitted`; `unavailable` when indexing takes too long.
 */
export async function findRevisions(
  { history, access, entities, texts }: RevisionSearchDeps,
  principal: Principal,
  filter: RevisionFilter,
  { offset, limit }: ListPart = { offset: 0, limit: null },
): Promise<readonly Revision[]> {
  assertMay(access, principal, { action: 'administer' })
  if (filter.mentions !== '') await entities.settle()
  if (isOpen(filter) && filter.agents)
    return history.list({ offset, limit: limit ?? history.size() })
  const searchText = (text: string) => texts.search(text)
  const found = await filterRevisions(filter, { history, entities, searchText })
  return found.slice(offset, limit === null ? undefined : offset + limit)
}
