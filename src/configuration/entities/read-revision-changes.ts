import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import { entitiesOf } from '../../document/changes/entities-of.ts'
import { renderChange } from '../../document/changes/render-change.ts'
import { renderSubject } from '../../document/changes/render-subject.ts'
import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import { readEntityChanges, type EntityDiffDeps } from './compare-entity.ts'
import { assertMayNameRevisions, assertMayRead } from '../read/config-reading.ts'
import { findRevisionNamed } from '../read/named-revision.ts'
import { toldTo } from './told-revisions.ts'
import {
  type ConfigChangesDeps,
  type DescribedChanges,
  readChanges,
} from '../changes/config-changes.ts'
import { splitEntity } from '../../document/entities/entities.ts'

/** A revision with its changes: of a merge its own, of the first one all that it brought. */
export interface ChangedRevision extends DescribedChanges {
  readonly revision: Revision
}

/** Every entity that a revision changed beside the one before it, such as `pipeline/app`, whoever may see it. */
export async function entitiesChangedBy(
  deps: ConfigChangesDeps,
  { revision, previous }: { readonly revision: Revision; readonly previous: Revision },
): Promise<readonly string[]> {
  const { changes } = await readChanges(deps, { before: previous, after: revision })
  return entitiesOf(changes)
}

/**
 * The changes of one revision in words, or those of one entity in it.
 *
 * @throws {ServiceError} `revision-not-found`, `entity-not-found`, `not-permitted`.
 */
export async function readRevisionChanges(
  deps: EntityDiffDeps,
  principal: Principal,
  { name, place }: { readonly name: string; readonly place: EntityPlace | null },
): Promise<ChangedRevision> {
  if (place === null) assertMayRead(deps, principal)
  else assertMayNameRevisions(deps, principal)
  const revision = await findRevisionNamed(deps.history, name)
  const previous = deps.history.previousOf(revision)
  if (place !== null) {
    const from = (previous ?? revision).commit
    const asked = { from, to: revision.commit, place }
    const described = await readEntityChanges(deps, principal, asked)
    const { tell } = await toldTo(deps, principal, `${place.kind}/${place.name}`)
    return { revision: tell(revision), ...described }
  }
  await deps.entities.settle()
  const own = deps.entities.find(revision)
  if (own === null && previous !== null) {
    const { subject, changes } = await readChanges(deps, { before: previous, after: revision })
    return { revision, subject, changes }
  }
  const changes = (own ?? []).map((change) => ({ ...change, text: renderChange(change) }))
  return { revision, subject: renderSubject(changes), changes }
}

/** The path of a page about a revision: of the first entity in it to a caller who may not read the whole. */
export async function pageOfRevision(
  deps: ConfigChangesDeps,
  principal: Principal,
  revision: Revision,
): Promise<string> {
  const { access, history } = deps
  const number = `r${history.numberOf(revision)}`
  const previous = history.previousOf(revision)
  if (previous === null || access.may(principal, { action: 'administer' }))
    return `/config/${number}`
  const [entity = ''] = await entitiesChangedBy(deps, { revision, previous })
  const { kind, name } = splitEntity(entity)
  const page = `/config/entity/${kind}/${encodeURIComponent(name)}`
  return `${page}/compare/r${history.numberOf(previous)}/${number}`
}
