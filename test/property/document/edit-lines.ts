import type { XmlEdit } from '../../../src/document/edit/xml-edit.ts'
import type { XmlDocument } from '../../../src/document/xml/xml-reader.ts'
import type { Span, XmlElement } from '../../../src/document/xml/xml-tree.ts'

/** The lines of a document that no edit is about. */
export function untouchedLines(document: XmlDocument, edits: readonly XmlEdit[]): string[] {
  const places = edits.flatMap((edit) => placesOf(document, edit))
  const touched = new Set(linesOf(document, [...places, ...emptiedParents(edits)]))
  return document.text.split('\n').filter((_, index) => !touched.has(index + 1))
}

/** How many of the lines stand, in their order, in a text. */
export function countInOrder(lines: readonly string[], text: string): number {
  let found = 0
  for (const line of text.split('\n')) if (line === lines[found]) found += 1
  return found
}

function linesOf({ lines }: XmlDocument, spans: readonly Span[]): number[] {
  return spans.flatMap(({ start, end }) => {
    const first = lines.positionOf(start).line
    const last = lines.positionOf(end).line
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}

function placesOf(document: XmlDocument, edit: XmlEdit): Span[] {
  if (edit.kind === 'insert') return insertionPlaces(document.text, edit)
  const { element } = edit
  const whole = edit.kind === 'remove' || edit.kind === 'set-text' || edit.kind === 'replace'
  return whole ? [element.span] : [element.openTag]
}

/** A parent may be closed or go away with its last child, and so on upwards. */
function emptiedParents(edits: readonly XmlEdit[]): Span[] {
  const gone = new Set<XmlElement>()
  for (const edit of edits) {
    if (edit.kind !== 'remove') continue
    gone.add(edit.element)
    for (let { parent } = edit.element; parent; parent = parent.parent) {
      if (parent.children.some((child) => child.kind === 'element' && !gone.has(child))) break
      gone.add(parent)
    }
  }
  return [...gone].map(({ span }) => span)
}

/** None where an element gets lines of its own; else the line that it breaks open. */
function insertionPlaces(text: string, edit: Extract<XmlEdit, { kind: 'insert' }>): Span[] {
  const { parent } = edit
  const elements = parent.children.filter((child) => child.kind === 'element')
  if (elements.length === 0) {
    const inner = text.slice(parent.openTag.end, parent.closeTag?.start)
    return parent.closeTag && /^[ \t]*\r?\n/.test(inner) ? [] : [parent.span]
  }
  const ends = [parent.openTag.end, ...elements.map(({ span }) => span.end)]
  const sharesLines = !elements.some(({ span }) => /\n[ \t]*$/.test(text.slice(0, span.start)))
  return ends
    .filter((end) => sharesLines || !endsLine(text, end))
    .map((end) => ({ start: end, end }))
}

function endsLine(text: string, offset: number): boolean {
  return /^[ \t]*(<!--[^\n]*?-->[ \t]*)*\r?\n/.test(text.slice(offset, offset + 2000))
}
