import type { XmlElement, XmlNode } from '../xml/xml-tree.ts'
import { isWhiteSpace, isElement } from './layout.ts'
import type { Inserted } from './new-element.ts'
import type { ChildEdit, Emptied, EditOf } from './xml-edit.ts'

/** All that happens to the children of one parent. */
export interface ChildEdits {
  /** New elements by the child they follow; null is the very beginning. */
  readonly inserted: Map<XmlElement | null, Inserted[]>
  readonly removed: Set<XmlElement>
  readonly replaced: Map<XmlElement, Inserted>
  emptied: Emptied
}

/** Groups edits by parent. A parent that its edits empty is removed in turn where they say so. */
export function childEditsByParent(edits: readonly ChildEdit[]): Map<XmlElement, ChildEdits> {
  const groups = new Map<XmlElement, ChildEdits>()
  for (const edit of edits) addEdit(groups, edit)
  for (const [parent, group] of [...groups].toSorted(([a], [b]) => depthOf(b) - depthOf(a))) {
    if (!parent.parent || group.emptied === 'close' || !isEmptied(parent, group)) continue
    groups.delete(parent)
    groupOf(groups, parent.parent).removed.add(parent)
  }
  return groups
}

/** Whether nothing but white space is left of the content of a parent. */
export function isEmptied(parent: XmlElement, { inserted, removed }: ChildEdits): boolean {
  if (inserted.size > 0 || removed.size === 0) return false
  return parent.children.every(
    (child) => isWhiteSpace(child) || (child.kind === 'element' && removed.has(child)),
  )
}

function addEdit(groups: Map<XmlElement, ChildEdits>, edit: ChildEdit): void {
  if (edit.kind === 'insert') return addInsert(groupOf(groups, edit.parent), edit)
  const { parent } = edit.element
  if (!parent) throw new Error('the root element can only be edited inside')
  const group = groupOf(groups, parent)
  if (edit.kind === 'replace') {
    group.replaced.set(edit.element, edit.by)
    return
  }
  group.removed.add(edit.element)
  if (edit.emptied === 'remove') group.emptied = 'remove'
}

function addInsert({ inserted }: ChildEdits, edit: Extract<ChildEdit, { kind: 'insert' }>): void {
  const anchor = anchorOf(edit)
  const elements = inserted.get(anchor)
  if (elements) elements.push(edit.element)
  else inserted.set(anchor, [edit.element])
}

function groupOf(groups: Map<XmlElement, ChildEdits>, parent: XmlElement): ChildEdits {
  const found = groups.get(parent)
  if (found) return found
  const group: ChildEdits = {
    inserted: new Map(),
    removed: new Set(),
    replaced: new Map(),
    emptied: 'close',
  }
  groups.set(parent, group)
  return group
}

function depthOf(element: XmlElement): number {
  let depth = 0
  for (let above = element.parent; above; above = above.parent) depth += 1
  return depth
}

/**
 * The child behind which a new element goes, or null for the very beginning.
 * Anchoring to what comes before keeps a comment with the element below it.
 */
function anchorOf({ parent, element, place }: EditOf<'insert'>): XmlElement | null {
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
