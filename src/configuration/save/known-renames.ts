import type { Digest } from '../../core/digest.ts'
import type { Revision } from '../../core/revision.ts'
import type { EntityRenames } from '../../document/compare/compare-entities.ts'
import type { History } from '../../history/history.ts'
import type { EntityIndex } from '../../index/entity-index.ts'

export interface KnownRenamesDeps {
  readonly history: History
  readonly entities: EntityIndex
}

/**
 * The renames of entities between a revision and a newer document, as far as the revisions are indexed. A document
 * that is no revision yet comes upon the current one.
 */
export async function knownRenames(
  { history, entities }: KnownRenamesDeps,
  { since, upon }: { readonly since: Revision | null; readonly upon: Digest },
): Promise<EntityRenames> {
  const to = history.find(upon) ?? history.current()
  if (since === null || since.commit === to.commit) return []
  await entities.settle()
  return entities.renamesBetween(since, to)
}
