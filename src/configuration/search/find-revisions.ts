import type { ConfigChangesDeps } from '../changes/config-changes.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import { assertMay } from '../access/permission.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import type { OpenGroups } from '../../index/entity-index.ts'
import { filterRevisions, isOpen, needsIndex, type RevisionFilter } from './revision-filter.ts'
import type { TextIndex } from '../../index/text-index.ts'
import { openGroups, toldOfOwn, toldWhole } from '../entities/told-revisions.ts'

export interface RevisionSearchDeps extends ConfigChangesDeps {
  readonly texts: TextIndex
}

/** Revisions in the words that the caller may read, newest first, and the changes of each. */
export interface FoundRevisions {
  readonly revisions: readonly Revision[]
  readonly changesOf: (revision: Revision) => readonly DocumentChange[]
}

/** A part of a list; all of it without a limit. */
export interface ListPart {
  readonly offset: number
  readonly limit: number | null
}

export const EVERYTHING: RevisionFilter = {
  mentions: '',
  text: '',
  username: '',
  kind: null,
  entity: '',
  changed: null,
  entityKind: null,
  since: null,
  until: null,
  agents: true,
  withoutNoise: false,
}

/**
 * The revisions that a filter selects as far as they are indexed, newest first. No more are looked for
 * than the part of the list needs. Those who administer an entity may ask for its own, and hear of nothing else.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export async function findRevisions(
  deps: RevisionSearchDeps,
  principal: Principal,
  filter: RevisionFilter,
  part: ListPart = { offset: 0, limit: null },
): Promise<FoundRevisions> {
  const { access, entities } = deps
  if (access.may(principal, { action: 'administer' })) {
    return { ...toldWhole(entities), revisions: await selectRevisions(deps, filter, part) }
  }
  assertOfEntity(deps, principal, filter)
  const groups = await openGroups(deps, principal, filter.entity)
  const found = await selectRevisions({ ...deps, groups }, filter, part)
  const told = await toldOfOwn(deps, filter.entity, groups)
  return { revisions: found.map(told.tell), changesOf: told.changesOf }
}

async function selectRevisions(
  deps: RevisionSearchDeps & { readonly groups?: OpenGroups },
  filter: RevisionFilter,
  { offset, limit }: ListPart,
): Promise<readonly Revision[]> {
  const { history, entities } = deps
  const end = limit === null ? Number.POSITIVE_INFINITY : offset + limit
  if (isOpen(filter) && filter.agents)
    return history.list({ offset, limit: limit ?? history.size() })
  if (needsIndex(filter)) await entities.settle()
  const found: Revision[] = []
  for await (const some of filterRevisions(filter, deps)) {
    found.push(...some)
    if (found.length >= end) break
  }
  return found.slice(offset, end)
}

/**
 * Asserts that a caller asks for the history of an entity alone. What else a filter looks at, such as texts,
 * would tell of other entities.
 *
 * @throws {ServiceError} `not-permitted`.
 */
function assertOfEntity(
  { access }: RevisionSearchDeps,
  principal: Principal,
  { entity, ...others }: RevisionFilter,
): void {
  if (entity !== '' && !needsIndex({ ...others, entity: '' })) return
  assertMay(access, principal, { action: 'administer' })
}

/**
 * Picks the revisions that are in the scope of an entity, as far as it may be followed. Revisions that are not
 * indexed yet are taken to be.
 */
export async function revisionsInScope(
  { history, entities }: Pick<RevisionSearchDeps, 'history' | 'entities'>,
  entity: string,
  revisions: readonly Revision[],
  groups: OpenGroups = null,
): Promise<readonly Revision[]> {
  if (revisions.length === 0) return revisions
  const scope = await entities.revisionsIn(entity, groups)
  const oldest = Math.min(...revisions.map((revision) => history.numberOf(revision) ?? 0))
  const numbers = new Set<number>()
  for (const { number } of scope.revisions) {
    if (number < oldest) break
    numbers.add(number)
  }
  return revisions.filter((revision) => {
    return !entities.isIndexed(revision) || numbers.has(history.numberOf(revision) ?? 0)
  })
}
