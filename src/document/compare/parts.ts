import { nameKey } from '../../core/name-key.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { contentOf } from './content.ts'
import { elementIdentity, isList, elementKindOf } from './element-kind.ts'
import { labelOf } from './labels.ts'
import type { Item } from './match.ts'

/** An element that counts as a direct child of another, ignoring lists in between. */
export interface ElementPart extends Item {
  readonly element: XmlElement
  /** The group of parts whose relative order matters. */
  readonly order: string
}

/** The parts of an element, except `without`: entities that are reported separately. */
export function partsOf(element: XmlElement, without: ReadonlySet<XmlElement>): ElementPart[] {
  const parts: ElementPart[] = []
  collect(element, '', without, parts)
  return parts
}

/** How many parts {@link partsOf} would find. */
export function partCount(element: XmlElement, without: ReadonlySet<XmlElement>): number {
  let count = 0
  for (const child of element.children) {
    if (child.kind !== 'element' || without.has(child)) continue
    count += isList(child) ? partCount(child, without) : 1
  }
  return count
}

function collect(
  holder: XmlElement,
  list: string,
  without: ReadonlySet<XmlElement>,
  parts: ElementPart[],
): void {
  for (const child of holder.children) {
    if (child.kind !== 'element' || without.has(child)) continue
    if (isList(child)) collect(child, `${list}${child.name}/`, without, parts)
    else parts.push(partOf(child, list))
  }
}

function partOf(element: XmlElement, list: string): ElementPart {
  const kind = elementKindOf(element)
  const identity = elementIdentity(element) ?? ''
  const name = kind.isExact ? identity : nameKey(identity)
  return {
    element,
    order: list === '' ? kind.word : list,
    key: kind.isSequence ? null : `${list}${element.name} ${name}`,
    content: () => contentOf(element),
    hints: () => hintsOf(element),
  }
}

/** An equal label means the same item; otherwise one of the same sort has replaced it. */
function hintsOf(element: XmlElement): string[] {
  if (element.name === 'arg') return []
  const where = element.attributeValue('dest') ?? element.attributeValue('command') ?? ''
  return [`${element.name} ${labelOf(element)}`, `${element.name} ${where}`, element.name]
}
