import type { DocumentChange } from '../entities/change.ts'
import { wholeEntityWord } from '../entities/entities.ts'

/**
 * The changes of a merge itself: those that are in its comparisons with all of its parents. Any
 * other difference was made by the revisions of the other parents.
 */
export function changesOfMerge(
  comparisons: readonly (readonly DocumentChange[])[],
): readonly DocumentChange[] {
  const places = comparisons.map(placesOf)
  const found = new Map<string, DocumentChange>()
  for (const changes of comparisons) {
    for (const change of changes) {
      const place = placeOf(change)
      const isOwn = places.every((each) => each.has(place) || each.has(wholeOf(change.entity)))
      if (isOwn && !found.has(place)) found.set(place, change)
    }
  }
  return [...found.values()]
}

/** Where changes are; an entity that came or went has changed everywhere. */
function placesOf(changes: readonly DocumentChange[]): ReadonlySet<string> {
  return new Set(
    changes.map((change) => (isOfAll(change) ? wholeOf(change.entity) : placeOf(change))),
  )
}

function isOfAll(change: DocumentChange): boolean {
  const { kind } = change
  return (kind === 'added' || kind === 'removed') && wholeEntityWord(change) !== null
}

function placeOf({ entity, path, subject }: DocumentChange): string {
  return JSON.stringify([entity, path, subject])
}

function wholeOf(entity: string): string {
  return JSON.stringify([entity])
}
