import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import { openGroups, toldOfOwn } from '../entities/told-revisions.ts'
import {
  EVERYTHING,
  findRevisions,
  revisionsInScope,
  type RevisionSearchDeps,
} from './find-revisions.ts'

/** The revisions that a caller follows as they come, as the list of them has them. */
export interface FollowedRevisions {
  /**
   * The newest one; null where there is none yet.
   *
   * @throws {ServiceError} `not-permitted`
   */
  newest(): Promise<Revision | null>
  /**
   * Picks those of some revisions, oldest first.
   *
   * @throws {ServiceError} `not-permitted`
   */
  pick(revisions: readonly Revision[]): Promise<PickedRevisions>
}

export interface PickedRevisions {
  readonly revisions: readonly Revision[]
  /** Whether all were looked at; false where the rest is not indexed yet. */
  readonly isWhole: boolean
}

/**
 * All revisions, or those of an entity. Administrators hear of what is not indexed yet, as it may be of the entity;
 * those who administer the entity alone hear of its own, and in the words that they may read.
 */
export function followedRevisions(
  deps: RevisionSearchDeps,
  principal: Principal,
  entity: string | null,
): FollowedRevisions {
  const isAdministrator = () => deps.access.may(principal, { action: 'administer' })
  return {
    newest: async () => {
      const current = isAdministrator() ? deps.history.current() : null
      if (current !== null && entity === null) return current
      const filter = { ...EVERYTHING, entity: entity ?? '' }
      const { revisions } = await findRevisions(deps, principal, filter, { offset: 0, limit: 1 })
      return revisions[0] ?? current
    },
    pick: async (revisions) => {
      if (!isAdministrator()) return pickOwn(deps, principal, entity ?? '', revisions)
      const picked = entity === null ? revisions : await revisionsInScope(deps, entity, revisions)
      return { revisions: picked, isWhole: true }
    },
  }
}

async function pickOwn(
  deps: RevisionSearchDeps,
  principal: Principal,
  entity: string,
  revisions: readonly Revision[],
): Promise<PickedRevisions> {
  const { entities } = deps
  if (revisions.length > 0) await entities.settle()
  const groups = await openGroups(deps, principal, entity)
  const end = revisions.findIndex((revision) => !entities.isIndexed(revision))
  const indexed = end === -1 ? revisions : revisions.slice(0, end)
  const own = await revisionsInScope(deps, entity, indexed, groups)
  const { tell } = await toldOfOwn(deps, entity, groups)
  return { revisions: own.map(tell), isWhole: end === -1 }
}
