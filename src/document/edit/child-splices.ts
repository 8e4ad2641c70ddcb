import type { XmlElement } from '../xml/xml-tree.ts'
import { type ChildEdits, isEmptied } from './child-edits.ts'
import { insertionSplices } from './insertion-splices.ts'
import { type EditableDocument, type Layout, leadBefore, lineEndAt } from './layout.ts'
import type { Inserted } from './new-element.ts'
import { renderElement, renderingAt } from './render-element.ts'
import type { Splice } from './splice.ts'

/** The splices of all edits among the children of one element. */
export function childSplices(
  document: EditableDocument,
  layout: Layout,
  [parent, edits]: readonly [XmlElement, ChildEdits],
): Splice[] {
  const { text } = document
  if (isEmptied(parent, edits)) return closing(parent, layout)
  return [
    ...[...edits.removed].map((element) => removal(text, element)),
    ...[...edits.replaced].map(([element, by]) => replacement({ text, layout, element, by })),
    ...insertionSplices({ document, layout, parent, inserted: edits.inserted }),
  ]
}

function closing({ openTag, closeTag }: XmlElement, { emptyEnd }: Layout): Splice[] {
  if (!closeTag) return []
  return [{ start: openTag.end - '>'.length, end: closeTag.end, text: emptyEnd }]
}

/** Takes the whole line, or lines, of an element that shares them with nothing. */
function removal(text: string, { span }: XmlElement): Splice {
  const lead = leadBefore(text, span.start)
  const lineEnd = lineEndAt(text, span.end)
  if (lead === null || lineEnd === null) return { ...span, text: '' }
  return { start: span.start - lead.length, end: lineEnd, text: '' }
}

interface Replacement {
  readonly text: string
  readonly layout: Layout
  readonly element: XmlElement
  readonly by: Inserted
}

function replacement({ text, layout, element, by }: Replacement): Splice {
  const lead = leadBefore(text, element.span.start)
  return { ...element.span, text: renderElement(by, renderingAt(text, layout, lead)) }
}
