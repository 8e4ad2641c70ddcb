import type { XmlElement } from '../xml/xml-tree.ts'
import { anchorOf } from './child-places.ts'
import { isWhiteSpace } from './layout.ts'
import type { Inserted } from './new-element.ts'
import type { ChildEdit, Emptied } from './xml-edit.ts'

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
  for (const [parent, group] of deepestFirst(groups)) {
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
  const known = groups.get(parent)
  if (known) return known
  const group: ChildEdits = {
    inserted: new Map(),
    removed: new Set(),
    replaced: new Map(),
    emptied: 'close',
  }
  groups.set(parent, group)
  return group
}

function deepestFirst(groups: Map<XmlElement, ChildEdits>): (readonly [XmlElement, ChildEdits])[] {
  return [...groups].toSorted(([a], [b]) => depthOf(b) - depthOf(a))
}

function depthOf(element: XmlElement): number {
  let depth = 0
  for (let above = element.parent; above; above = above.parent) depth += 1
  return depth
}
