import type { ConfigChangesDeps } from '../changes/config-changes.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import { ownChanges } from '../../document/changes/own-changes.ts'
import { renderSubject } from '../../document/changes/render-subject.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import {
  entitiesIn,
  ENTITY_KINDS,
  entityName,
  findNamedEntity,
  foldEntity,
} from '../../document/entities/entities.ts'
import type { EntityIndex } from '../../index/entity-index.ts'
import { assertMay } from '../access/permission.ts'
import { administers, assertAdministers } from './entity-access.ts'
import { readRevision } from './read-entity.ts'

/** Revisions in the words that a caller may read. */
export interface ToldRevisions {
  /** The changes of a revision that the caller may see; none while it is not indexed. */
  readonly changesOf: (revision: Revision) => readonly DocumentChange[]
  /** A revision that says no more than that. What people wrote to explain a change that the caller sees stays. */
  readonly tell: (revision: Revision) => Revision
}

/** The subject of a revision whose changes the caller may not see, or that has none. */
const UNTOLD = 'Configuration changed'

/** Revisions in the words of administrators, to whom all is told. */
export function toldWhole(entities: EntityIndex): ToldRevisions {
  return { changesOf: (revision) => entities.find(revision) ?? [], tell: (revision) => revision }
}

/** Revisions in the words of those who administer an entity, to whom that of its scope is told. */
export async function toldOfOwn(
  { entities, history }: ConfigChangesDeps,
  entity: string,
  groups: ReadonlySet<string>,
): Promise<ToldRevisions> {
  const { revisions } = await entities.revisionsIn(entity, groups)
  const scope = new Map(Array.from(revisions, ({ number, changed }) => [number, changed]))
  const own = (revision: Revision, all: readonly DocumentChange[]) => {
    const names = scope.get(history.numberOf(revision) ?? 0) ?? []
    return ownChanges(all, { names, groups })
  }
  return {
    changesOf: (revision) => own(revision, entities.find(revision) ?? []),
    tell: (revision) => {
      const all = entities.find(revision) ?? []
      const told = own(revision, all)
      if (told.length === 0) return { ...revision, subject: UNTOLD, message: '' }
      const isAll = told.length === all.length && told.every((change, n) => change === all[n])
      return isAll ? revision : { ...revision, subject: renderSubject(told) }
    },
  }
}

const GROUPS = ENTITY_KINDS.filter(({ word }) => word === 'group')

/**
 * The groups whose history a caller may follow who administers an entity, in folded spelling.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export async function openGroups(
  deps: ConfigChangesDeps,
  principal: Principal,
  entity: string,
): Promise<ReadonlySet<string>> {
  const { access, history } = deps
  assertMay(access, principal, { action: 'administer-something' })
  const { root } = await readRevision(deps, history.current())
  assertAdministers(access, principal, findNamedEntity(root, entity))
  const groups = GROUPS.flatMap((kind) => entitiesIn(root, kind))
  const own = groups.filter((group) => administers(access, principal, group))
  return new Set(own.map((group) => foldEntity(entityName(group))))
}

/**
 * Revisions in the words that a caller may read who asks about an entity, or about all.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export async function toldTo(
  deps: ConfigChangesDeps,
  principal: Principal,
  entity: string | null,
): Promise<ToldRevisions> {
  if (deps.access.may(principal, { action: 'administer' })) return toldWhole(deps.entities)
  if (entity === null) assertMay(deps.access, principal, { action: 'administer' })
  const named = entity ?? ''
  return toldOfOwn(deps, named, await openGroups(deps, principal, named))
}
