import type { DocumentChange } from '../entities/change.ts'
import { wholeEntityWord } from '../entities/entities.ts'

/**
 * What a merge changed itself, from its comparisons with each of its parents: what differs from all
 * of them. What differs from some was changed by the revisions of the others.
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
