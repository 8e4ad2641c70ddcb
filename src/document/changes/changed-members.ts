import { listOf } from '../incremental/find-members.ts'
import { RelocatedElement } from '../incremental/relocated-element.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import { elementsAt } from '../xml/xml-elements.ts'
import {
  asEntity,
  type EntityElement,
  ENTITY_KINDS,
  entityKey,
  type EntityDefinition,
} from '../entities/entities.ts'
import { isWrittenAlike } from './scope.ts'

type EntityPair = readonly [EntityElement, EntityElement]

/** The kinds of entities that are read separately, the most important first. */
const MEMBER_KINDS = ENTITY_KINDS.filter(
  ({ steps: [[list = ''] = [], [member = ''] = []] }) => listOf(list, member) !== null,
)

/**
 * The changed pipelines, templates and agents, when nothing else has changed: each kept its place
 * and name. Null where there may be other changes.
 */
export function changedMembers(before: XmlDocument, after: XmlDocument): EntityPair[] | null {
  if (!RelocatedElement.isSame(before.root, after.root)) return null
  const pairs: EntityPair[] = []
  for (const kind of MEMBER_KINDS) {
    for (const pair of changedOf(kind, { before, after })) {
      const [one, other] = pair
      if (entityKey(one) !== entityKey(other)) return null
      pairs.push(pair)
    }
  }
  return pairs
}

/** With equal surroundings, the number of each kind is equal too. */
function* changedOf(
  kind: EntityDefinition,
  documents: { readonly before: XmlDocument; readonly after: XmlDocument },
): Generator<EntityPair> {
  const older = elementsAt(documents.before.root, kind.steps)
  for (const [n, after] of elementsAt(documents.after.root, kind.steps).entries()) {
    const before = older[n]
    if (!before || RelocatedElement.isSame(before, after)) continue
    if (isWrittenAlike(documents, { before, after })) continue
    yield [asEntity(before, kind), asEntity(after, kind)]
  }
}
