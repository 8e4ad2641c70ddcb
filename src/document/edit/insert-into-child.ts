import { elementsAt } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { type NewElement, newElement } from './new-element.ts'
import type { XmlEdit } from './xml-edit.ts'

interface InsertionIntoChild {
  readonly parent: XmlElement
  /** The name of the child that holds the elements. */
  readonly child: string
  /** The children of the parent in the order of the schema. */
  readonly order: readonly string[]
  readonly elements: readonly NewElement[]
}

/** Puts elements at the end of a child of `parent`; a child that is absent is made at its place. */
export function insertIntoChild(insertion: InsertionIntoChild): XmlEdit[] {
  const { parent, child, order: names, elements } = insertion
  if (elements.length === 0) return []
  const holder = elementsAt(parent, child)[0]
  if (!holder) {
    const element = newElement(child, {}, elements)
    return [{ kind: 'insert', parent, element, place: { kind: 'order', names } }]
  }
  return elements.map((element) => ({
    kind: 'insert',
    parent: holder,
    element,
    place: { kind: 'last' },
  }))
}
