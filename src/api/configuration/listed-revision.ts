import type { Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import {
  type ClientNames,
  renderRevision,
  type ListedRevision,
} from '../../wire/revision-bodies.ts'

/** A revision as lists have it. */
export function renderListed(
  history: History,
  revision: Revision,
  names: ClientNames,
): ListedRevision {
  return {
    ...renderRevision(revision, names),
    number: history.numberOf(revision),
    subject: revision.subject,
    tags: history.tags.namesOf(revision.commit),
  }
}
