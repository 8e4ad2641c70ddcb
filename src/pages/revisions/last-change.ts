import type { History } from '../../history/history.ts'
import type { EntityIndex } from '../../index/entity-index.ts'
import { numbered, type NumberedRevision } from './numbered-revision.ts'

export interface LastChangeDeps {
  readonly history: History
  readonly entities: EntityIndex
}

/** With more unindexed revisions than this, a page does not wait for them. */
const FEW = 20

/** The newest revision that changed each of the entities; none while they are not indexed. */
export async function lastChanges(
  { history, entities }: LastChangeDeps,
  names: readonly string[],
): Promise<ReadonlyMap<string, NumberedRevision>> {
  const { indexed, of } = entities.progress()
  if (of - indexed > FEW) return new Map()
  const found = new Map<string, NumberedRevision>()
  for (const name of names) {
    const newest = (await entities.revisionsOf(name)).revisions.at(0)
    if (newest) found.set(name, numbered(history, newest.revision))
  }
  return found
}
