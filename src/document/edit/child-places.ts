import type { XmlElement, XmlNode } from '../xml/xml-tree.ts'
import { isElement } from './layout.ts'
import type { EditOf } from './xml-edit.ts'

/**
 * The child behind which a new element goes, or null for the very beginning.
 * Anchoring to what stands before keeps a comment with the element below it.
 */
export function anchorOf({ parent, element, place }: EditOf<'insert'>): XmlElement | null {
  if (place.kind === 'first') return null
  if (place.kind === 'last') return parent.children.findLast(isElement) ?? null
  if (place.kind === 'after') return childOf(parent, place.sibling)
  if (place.kind === 'before') return elementBefore(parent, childOf(parent, place.sibling))
  return parent.children.findLast(mayPrecede(element.name, place.names)) ?? null
}

function mayPrecede(name: string, order: readonly string[]): (node: XmlNode) => node is XmlElement {
  const earlier = new Set(order.slice(0, order.indexOf(name) + 1))
  return (node): node is XmlElement => isElement(node) && earlier.has(node.name)
}

function elementBefore(parent: XmlElement, sibling: XmlElement): XmlElement | null {
  const before = parent.children.slice(0, parent.children.indexOf(sibling))
  return before.findLast(isElement) ?? null
}

function childOf(parent: XmlElement, sibling: XmlElement): XmlElement {
  if (sibling.parent === parent) return sibling
  throw new Error(`<${sibling.name}> is no child of <${parent.name}>`)
}
