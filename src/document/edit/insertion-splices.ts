import type { XmlElement, XmlNode } from '../xml/xml-tree.ts'
import {
  type EditableDocument,
  indentOf,
  isElement,
  isWhiteSpace,
  type Layout,
  leadBefore,
  leadOf,
  lineEndAfter,
  stepBetween,
} from './layout.ts'
import type { Inserted } from './new-element.ts'
import { renderElement, renderingAt } from './render-element.ts'
import type { Splice } from './splice.ts'
import { openedTag } from './text-splices.ts'

/** New elements of one parent, by the child they follow. */
export interface Insertions {
  readonly document: EditableDocument
  readonly layout: Layout
  readonly parent: XmlElement
  readonly inserted: ReadonlyMap<XmlElement | null, readonly Inserted[]>
}

export function insertionSplices(insertions: Insertions): Splice[] {
  const { inserted } = insertions
  if (inserted.size === 0) return []
  const neighbours = neighboursIn(insertions.parent)
  return [...inserted].map(([anchor, elements]) => {
    const lead = childLead(insertions, [anchor, ...neighbours])
    const content = rendered(insertions, elements, lead)
    return insertions.parent.closeTag
      ? insideContent(insertions, { anchor, lead, content })
      : intoEmptyTag(insertions, { lead, content })
  })
}

/** The children whose layout new ones follow: elements, or comments where there are none. */
function neighboursIn({ children }: XmlElement): XmlNode[] {
  const elements = [children.find(isElement), children.findLast(isElement)]
  return [...elements, children.findLast((child) => child.kind === 'aside')].filter(
    (child) => child !== undefined,
  )
}

/** The line break and indentation of a new child; null where the children share one line. */
function childLead(
  { document, layout, parent }: Insertions,
  neighbours: readonly (XmlNode | null)[],
): string | null {
  for (const neighbour of neighbours) {
    const lead = neighbour && leadBefore(document.text, neighbour.span.start)
    if (lead) return lead
  }
  if (neighbours.some((neighbour) => neighbour?.kind === 'element')) return null
  const { text } = document
  const own = leadOf(document, parent) ?? leadBefore(text, parent.closeTag?.start ?? 0)
  return own === null ? null : `${own}${layout.unit}`
}

function rendered(
  { document, layout, parent }: Insertions,
  elements: readonly Inserted[],
  lead: string | null,
): string {
  const outer = indentOf(leadOf(document, parent) ?? '')
  const unit = stepBetween(outer, indentOf(lead ?? '')) || layout.unit
  const rendering = renderingAt(document.text, { ...layout, unit }, lead)
  return elements.map((element) => `${lead ?? ''}${renderElement(element, rendering)}`).join('')
}

interface Insertion {
  readonly lead: string | null
  readonly content: string
}

function intoEmptyTag({ document, parent }: Insertions, { lead, content }: Insertion): Splice {
  const closingLead = lead === null ? '' : leadOf(document, parent)
  return openedTag(document.text, { element: parent }, `${content}${closingLead ?? ''}`)
}

function insideContent(
  { document, parent }: Insertions,
  { anchor, lead, content }: Insertion & { readonly anchor: XmlElement | null },
): Splice {
  const after = (anchor ?? lastAside(parent))?.span.end ?? parent.openTag.end
  const start = lead === null ? after : lineEndAfter(document.text, after)
  const end = parent.closeTag?.start ?? start
  const sharesLine = lead !== null && /^[ \t]*$/.test(document.text.slice(start, end))
  if (!sharesLine || parent.children.some(isElement)) return { start, end: start, text: content }
  return { start, end, text: `${content}${leadOf(document, parent) ?? ''}` }
}

/** Where a parent holds comments and nothing else, new elements go below them. */
function lastAside({ children }: XmlElement): XmlNode | undefined {
  if (children.some((child) => child.kind !== 'aside' && !isWhiteSpace(child))) return undefined
  return children.findLast((child) => child.kind === 'aside')
}
