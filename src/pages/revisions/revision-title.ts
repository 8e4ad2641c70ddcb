import type { EntityIndex } from '../../index/entity-index.ts'
import { isRecord, type Revision, shownSubject } from '../../core/revision.ts'
import { parseRestoreSubject } from '../../core/restore-subject.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import { renderSubject } from '../../document/changes/render-subject.ts'

/**
 * A revision on one line: the subject of its commit. Of one that the original server saved, which has
 * no words, what it changed as far as that is known.
 */
export function revisionTitle(
  revision: Revision,
  entities: Pick<EntityIndex, 'find'> | null,
): string {
  const { subject } = revision
  const changes = isRecord(subject) ? (entities?.find(revision) ?? []) : []
  return changes.length === 0 ? shownSubject(subject) : renderSubject(changes)
}

/** Whether the subject of a revision says more than its changes, as the title of a proposal does. */
export function hasOwnTitle(
  { subject }: Pick<Revision, 'subject'>,
  changes: readonly DocumentChange[],
): boolean {
  if (isRecord(subject) || parseRestoreSubject(subject) !== null) return false
  return changes.length > 0 && subject !== renderSubject(changes)
}
