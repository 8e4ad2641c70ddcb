import { PlacedElement } from '../members/placed-element.ts'
import type { XmlDocument } from '../xml-reader.ts'
import { elementsAt } from '../xml-elements.ts'
import { asEntity, type Entity, ENTITY_KINDS, entityKey, type EntityKind } from './entities.ts'
import { isWrittenAlike } from './scope.ts'

type EntityPair = readonly [Entity, Entity]

/** The kinds of entities that are read on their own, the most important first. */
const MEMBER_KINDS = ENTITY_KINDS.filter(({ word }) =>
  ['pipeline', 'template', 'agent'].includes(word),
)

/**
 * The pipelines, templates and agents that are otherwise, where nothing else is: each stands where
 * it stood, under its name. Null where there may be more to tell.
 */
export function changedMembers(before: XmlDocument, after: XmlDocument): EntityPair[] | null {
  if (!PlacedElement.isSame(before.root, after.root)) return null
  const pairs = MEMBER_KINDS.flatMap((kind) => changedOf(kind, { before, after }))
  return pairs.every(([one, other]) => entityKey(one) === entityKey(other)) ? pairs : null
}

/** With the same around them, there are as many of a kind as there were. */
function changedOf(
  kind: EntityKind,
  documents: { readonly before: XmlDocument; readonly after: XmlDocument },
): EntityPair[] {
  const older = elementsAt(documents.before.root, kind.steps)
  return elementsAt(documents.after.root, kind.steps).flatMap((after, n): EntityPair[] => {
    const before = older[n]
    if (!before || PlacedElement.isSame(before, after)) return []
    if (isWrittenAlike(documents, { before, after })) return []
    return [[asEntity(before, kind), asEntity(after, kind)]]
  })
}
