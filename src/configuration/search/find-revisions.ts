import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { type Access, assertMay } from '../access/permission.ts'
import type { ChangeSummary } from '../../document/changes/change-summary.ts'
import {
  entitiesIn,
  ENTITY_KINDS,
  entityName,
  findNamedEntity,
  foldEntity,
} from '../../document/entities/entities.ts'
import { administers, assertAdministers } from '../entities/entity-access.ts'
import { readRevision } from '../entities/read-entity.ts'
import type { EntityIndex, IsOpenGroup } from '../../index/entity-index.ts'
import { filterRevisions, isOpen, needsIndex, type RevisionFilter } from './revision-filter.ts'
import type { TextIndex } from '../../index/text-index.ts'

export interface RevisionSearchDeps {
  readonly history: History
  readonly access: Access
  readonly entities: EntityIndex
  readonly texts: TextIndex
  readonly summary: ChangeSummary
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
  changed: null,
  entityKind: null,
  since: null,
  until: null,
  agents: true,
  withoutNoise: false,
}

/**
 * The revisions that a filter selects as far as they are indexed, newest first. No more are looked for
 * than the part of the list needs. Those who administer an entity may ask for its own.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export async function findRevisions(
  deps: RevisionSearchDeps,
  principal: Principal,
  filter: RevisionFilter,
  { offset, limit }: ListPart = { offset: 0, limit: null },
): Promise<readonly Revision[]> {
  const { history, access, entities, texts } = deps
  const isAdministrator = access.may(principal, { action: 'administer' })
  const open = isAdministrator ? {} : { isOpenGroup: await openGroups(deps, principal, filter) }
  const end = limit === null ? Number.POSITIVE_INFINITY : offset + limit
  if (isOpen(filter) && filter.agents)
    return history.list({ offset, limit: limit ?? history.size() })
  if (needsIndex(filter)) await entities.settle()
  const found: Revision[] = []
  for await (const some of filterRevisions(filter, { history, entities, texts, ...open })) {
    found.push(...some)
    if (found.length >= end) break
  }
  return found.slice(offset, end)
}

/**
 * The groups whose history a caller may follow who administers the entity of a filter. What else
 * a filter looks at, such as texts, would tell of other entities.
 *
 * @throws {ServiceError} `not-permitted`.
 */
async function openGroups(
  deps: RevisionSearchDeps,
  principal: Principal,
  { entity, ...others }: RevisionFilter,
): Promise<IsOpenGroup> {
  const { access, history } = deps
  if (entity === '' || needsIndex({ ...others, entity: '' })) {
    assertMay(access, principal, { action: 'administer' })
  }
  assertMay(access, principal, { action: 'administer-something' })
  const { root } = await readRevision(deps, history.current())
  assertAdministers(access, principal, findNamedEntity(root, entity))
  const groups = GROUPS.flatMap((kind) => entitiesIn(root, kind))
  const own = groups.filter((group) => administers(access, principal, group))
  const names = new Set(own.map((group) => foldEntity(entityName(group))))
  return (group) => names.has(group)
}

const GROUPS = ENTITY_KINDS.filter(({ word }) => word === 'group')

/** Picks the revisions that are in the scope of an entity. Revisions that are not indexed yet are taken to be. */
export async function revisionsInScope(
  { history, entities }: Pick<RevisionSearchDeps, 'history' | 'entities'>,
  entity: string,
  revisions: readonly Revision[],
): Promise<readonly Revision[]> {
  if (revisions.length === 0) return revisions
  const scope = await entities.revisionsIn(entity)
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
