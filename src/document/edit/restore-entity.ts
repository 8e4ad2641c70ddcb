import { entityName, entityOf, findNamedEntity } from '../entities/entities.ts'
import { CRUISE_CHILDREN } from '../structure/child-order.ts'
import { applyEdits } from './apply-edits.ts'
import { type Inserted, newElement, type VerbatimElement } from './new-element.ts'
import type { InsertionPlace, XmlEdit } from './xml-edit.ts'
import { childElements, elementsAt } from '../xml/xml-elements.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

/** An entity such as `pipeline/checkout`, by its name in the one document and in the other. */
export interface EntityNames {
  readonly now: string
  readonly past: string
}

const IN_ORDER: InsertionPlace = { kind: 'order', names: CRUISE_CHILDREN }

interface Documents {
  readonly current: XmlDocument
  readonly older: XmlDocument
}

/**
 * The text of the current document with one entity as in an older one, added again where it is gone.
 * Everything else stays. Null where the older document does not have it.
 */
export function restoreEntityIn({ current, older }: Documents, names: EntityNames): string | null {
  const past = findNamedEntity(older.root, names.past)
  if (past === null) return null
  const by = verbatim(older, past.element)
  const now = findNamedEntity(current.root, names.now)
  const edit: XmlEdit =
    now === null
      ? putBack(current.root, past.element, by)
      : { kind: 'replace', element: now.element, by }
  return applyEdits(current, [edit]) ?? current.text
}

/**
 * Inserts an element behind its former predecessor, in its former parent. A parent that is gone is made again, with its
 * name and nothing else.
 */
function putBack(root: XmlElement, element: XmlElement, by: Inserted): XmlEdit {
  const above = element.parent ?? root
  const parent = holderIn(root, above)
  if (parent === null) return putBack(root, above, newElement(above.name, namesOf(above), [by]))
  const isMade = by.kind === 'element'
  const place = parent === root && isMade ? IN_ORDER : placeIn(parent, element)
  return { kind: 'insert', parent, element: by, place }
}

/** The counterpart of an element of the older document: the group of the same name, or the list. */
function holderIn(root: XmlElement, element: XmlElement): XmlElement | null {
  if (element.parent === null) return root
  const above = holderIn(root, element.parent)
  if (above === null) return null
  const alike = elementsAt(above, element.name)
  return alike.find((each) => keyOf(each) === keyOf(element)) ?? null
}

/** The attribute by which an entity is named. Its other attributes do not come back with something in it. */
function namesOf(element: XmlElement): Readonly<Record<string, string | null>> {
  const by = entityOf(element)?.kind.by ?? ''
  return by.startsWith('@') ? { [by.slice(1)]: element.attributeValue(by.slice(1)) } : {}
}

function placeIn(parent: XmlElement, element: XmlElement): InsertionPlace {
  const present = new Map(childElements(parent).map((child) => [keyOf(child), child]))
  const siblings = element.parent ? childElements(element.parent) : []
  const before = siblings.slice(0, siblings.indexOf(element))
  for (const sibling of before.toReversed()) {
    const same = present.get(keyOf(sibling))
    if (same) return { kind: 'after', sibling: same }
  }
  return before.length === 0 && present.size > 0 ? { kind: 'first' } : { kind: 'last' }
}

/** The identity of an element among its siblings; lists and the like are alone. */
function keyOf(element: XmlElement): string {
  const entity = entityOf(element)
  return entity ? entityName(entity) : element.name
}

function verbatim({ text }: XmlDocument, { name, span }: XmlElement): VerbatimElement {
  return { kind: 'verbatim', name, text: text.slice(span.start, span.end) }
}
