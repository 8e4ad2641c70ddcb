import type { EntityIndex } from '../../index/entity-index.ts'
import type { Revision } from '../../core/revision.ts'
import { parseRestoreSubject } from '../../core/restore-subject.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import { renderSubject } from '../../document/changes/render-subject.ts'

/** The whole message of a commit of the original server: facts without words. */
const RECORD = /^user:.*\|timestamp:\d+\|/

/**
 * A revision on one line: the subject of its commit. Of one that the original server saved, which has
 * no words, what it changed as far as that is known.
 */
export function revisionTitle(
  revision: Revision,
  entities: Pick<EntityIndex, 'find'> | null,
): string {
  if (!RECORD.test(revision.subject)) return revision.subject
  const changes = entities?.find(revision) ?? []
  return changes.length === 0 ? 'Configuration changed' : renderSubject(changes)
}

/** Whether the subject of a revision says more than its changes, as the title of a proposal does. */
export function hasOwnTitle(
  { subject }: Pick<Revision, 'subject'>,
  changes: readonly DocumentChange[],
): boolean {
  if (RECORD.test(subject) || parseRestoreSubject(subject) !== null) return false
  return changes.length > 0 && subject !== renderSubject(changes)
}
