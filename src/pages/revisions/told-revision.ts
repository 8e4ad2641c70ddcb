import type { Access } from '../../configuration/access/permission.ts'
import type { Principal } from '../../core/principal.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import { foldEntity } from '../../document/entities/entities.ts'
import type { EntityIndex } from '../../index/entity-index.ts'
import type { NumberedRevision } from './numbered-revision.ts'

/** The part of a revision that a reader sees. */
interface SeenPart {
  readonly revision: NumberedRevision
  /** The entity that is read about, normalised. */
  readonly entity: string
  readonly changes: readonly DocumentChange[]
}

/**
 * The revision without the subject of a commit made with git, which speaks of all that it changed, unless the
 * reader sees all of that. The reason that its author gave stays.
 */
export function toldRevision(
  { access, entities }: { readonly access: Access; readonly entities: Pick<EntityIndex, 'find'> },
  principal: Principal,
  { revision, entity, changes }: SeenPart,
): NumberedRevision {
  if (revision.kind !== 'git' || access.may(principal, { action: 'administer' })) return revision
  const all = entities.find(revision) ?? []
  const isAll =
    all.length === changes.length || all.every((each) => foldEntity(each.entity) === entity)
  return isAll ? revision : { ...revision, subject: '' }
}
