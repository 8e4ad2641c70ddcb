import { type Entity, entityOf } from './entity-of.ts'
import { childElements } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

/** Where entities stand: below the root, and not inside each other's parts. */
const DEPTH = 4

/** The element of an entity, or null when the document has none of that kind and name. */
export function findEntity(
  root: XmlElement,
  { kind, name }: Pick<Entity, 'kind' | 'name'>,
): XmlElement | null {
  return search(root, DEPTH, (element) => {
    const entity = entityOf(element)
    return entity?.kind === kind && entity.name === name
  })
}

function search(
  parent: XmlElement,
  depth: number,
  isWanted: (element: XmlElement) => boolean,
): XmlElement | null {
  for (const child of childElements(parent)) {
    if (isWanted(child)) return child
    const found = depth > 1 ? search(child, depth - 1, isWanted) : null
    if (found) return found
  }
  return null
}
