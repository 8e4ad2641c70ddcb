import { type EntityElement, entityName, entityOf, findNamedEntity } from '../entities/entities.ts'
import { CRUISE_CHILDREN } from '../structure/child-order.ts'
import { applyEdits } from './apply-edits.ts'
import { newElement, type VerbatimElement } from './new-element.ts'
import type { InsertionPlace, XmlEdit } from './xml-edit.ts'
import { childElements, elementsAt } from '../xml/xml-elements.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

/** An entity such as `pipeline/checkout`, by its name in the one document and in the other. */
export interface EntityNames {
  readonly now: string
  readonly past: string
}

interface Documents {
  readonly current: XmlDocument
  readonly older: XmlDocument
}

interface FoundPair {
  readonly now: EntityElement | null
  readonly past: EntityElement | null
}

/**
 * The text of the current document with some entities as in an older one: added again where they
 * are gone, removed where they did not exist. Everything else stays. Null where the place of one no
 * longer exists.
 */
export function restoreEntities(
  documents: Documents,
  names: readonly EntityNames[],
): string | null {
  const { current, older } = documents
  const pairs = names.map(({ now, past }) => ({
    now: findNamedEntity(current.root, now),
    past: findNamedEntity(older.root, past),
  }))
  const gone = wholes(pairs, ({ now, past }) => (past === null ? now : null))
  const back = wholes(pairs, ({ now, past }) => (now === null ? past : null))
  const edits: XmlEdit[] = []
  for (const pair of pairs) {
    if (isWithin(pair.now, gone) || isWithin(pair.past, back)) continue
    const made = editOf(documents, pair)
    if (made === null) return null
    edits.push(...made)
  }
  return applyEdits(current, edits) ?? current.text
}

/** The elements that come or go as a whole, with all that is in them. */
function wholes(
  pairs: readonly FoundPair[],
  pick: (pair: FoundPair) => EntityElement | null,
): ReadonlySet<XmlElement> {
  return new Set(pairs.flatMap((pair) => pick(pair)?.element ?? []))
}

function isWithin(entity: EntityElement | null, elements: ReadonlySet<XmlElement>): boolean {
  for (let above = entity?.element.parent; above; above = above.parent) {
    if (elements.has(above)) return true
  }
  return false
}

function editOf(documents: Documents, { now, past }: FoundPair): readonly XmlEdit[] | null {
  if (past === null) {
    return now ? [{ kind: 'remove', element: now.element, emptied: 'close' }] : []
  }
  const by = verbatim(documents.older, past.element)
  if (now !== null) return [{ kind: 'replace', element: now.element, by }]
  return putBack(documents.current, past, by)
}

/** The place behind its former predecessor, in its former parent. */
function putBack(
  { root }: XmlDocument,
  { kind, element }: EntityElement,
  by: VerbatimElement,
): readonly XmlEdit[] | null {
  const parent = holderIn(root, element)
  if (parent) return [{ kind: 'insert', parent, element: by, place: placeIn(parent, element) }]
  if (kind.steps.length !== 2 || element.parent === null) return null
  const attributes = Object.fromEntries(
    [...element.parent.attributes].map(([name, { value }]) => [name, value]),
  )
  const holder = newElement(element.parent.name, attributes, [by])
  const place = { kind: 'order', names: CRUISE_CHILDREN } as const
  return [{ kind: 'insert', parent: root, element: holder, place }]
}

/** The counterpart of a parent in the older document: the group of the same name, or the list. */
function holderIn(root: XmlElement, { parent }: XmlElement): XmlElement | null {
  if (parent === null || parent.parent === null) return root
  const above = holderIn(root, parent)
  if (above === null) return null
  const alike = elementsAt(above, parent.name)
  return alike.find((each) => keyOf(each) === keyOf(parent)) ?? null
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
