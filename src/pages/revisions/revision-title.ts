import type { EntityIndex } from '../../index/entity-index.ts'
import type { Revision } from '../../core/revision.ts'
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
