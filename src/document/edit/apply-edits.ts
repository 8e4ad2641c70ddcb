import { childEditsByParent, type ChildEdits, isEmptied } from './child-edits.ts'
import {
  type EditableDocument,
  layoutOf,
  isSpace,
  type Layout,
  leadBefore,
  lineEndAt,
} from './layout.ts'
import { applySplices, type Splice } from './splice.ts'
import { textSplices } from './text-splices.ts'
import type { ChildEdit, XmlEdit, AttributeEdit } from './xml-edit.ts'
import type { XmlAttribute, XmlElement } from '../xml/xml-tree.ts'
import { escapeAttribute } from './xml-escape.ts'
import { insertionSplices } from './insertion-splices.ts'
import type { Inserted } from './new-element.ts'
import { renderElement, renderingAt } from './render-element.ts'

/**
 * The text of a document after some edits, made in one pass; null when they
 * change nothing. Every character that no edit is about stays what it is:
 * comments, blank lines, quotes, indentation, line endings, byte order mark.
 *
 * @throws {ServiceError} `malformed-request` when a value cannot be written in XML.
 */
export function applyEdits(document: EditableDocument, edits: readonly XmlEdit[]): string | null {
  const edited = applySplices(document.text, editSplices(document, edits))
  return edited === document.text ? null : edited
}

/**
 * The splices of some edits of a document.
 *
 * @throws {ServiceError} `malformed-request` when a value cannot be written in XML.
 */
export function editSplices(document: EditableDocument, edits: readonly XmlEdit[]): Splice[] {
  const splices: Splice[] = []
  const childEdits: ChildEdit[] = []
  for (const edit of edits) {
    if (edit.kind === 'set-text') splices.push(...textSplices(document.text, edit))
    else if (isChildEdit(edit)) childEdits.push(edit)
    else splices.push(...present(attributeSplice(document.text, edit)))
  }
  const layout = layoutOf(document)
  for (const group of childEditsByParent(childEdits)) {
    splices.push(...childSplices(document, layout, group))
  }
  return splices
}

function isChildEdit(edit: XmlEdit): edit is ChildEdit {
  return edit.kind === 'insert' || edit.kind === 'replace' || edit.kind === 'remove'
}

function present(splice: Splice | null): Splice[] {
  return splice ? [splice] : []
}

/** The splice of an edit inside an opening tag; null when there is nothing to do. */
function attributeSplice(text: string, edit: AttributeEdit): Splice | null {
  const { element } = edit
  const standing = element.attributes.get(edit.kind === 'replace-attribute' ? edit.from : edit.name)
  if (edit.kind === 'remove-attribute') return standing ? attributeRemoval(text, standing) : null
  if (!standing) return addition(text, element, edit)
  if (edit.kind === 'replace-attribute') {
    return { ...standing.span, text: written(edit, quoteOf(text, standing)) }
  }
  if (standing.value === edit.value) return null
  return { ...standing.valueSpan, text: escapeAttribute(edit.value, quoteOf(text, standing)) }
}

interface NamedValue {
  readonly name: string
  readonly value: string
}

function written({ name, value }: NamedValue, quote: string): string {
  return `${name}=${quote}${escapeAttribute(value, quote)}${quote}`
}

/** Follows the last attribute in quotes and, where each has its own line, in line and indentation. */
function addition(text: string, element: XmlElement, attribute: NamedValue): Splice {
  const last = [...element.attributes.values()].at(-1)
  if (!last) {
    const end = element.openTag.start + '<'.length + element.name.length
    return { start: end, end, text: ` ${written(attribute, '"')}` }
  }
  const gap = text.slice(gapStart(text, last), last.span.start)
  const space = /[\r\n]/.test(gap) ? gap : ' '
  const { end } = last.span
  return { start: end, end, text: `${space}${written(attribute, quoteOf(text, last))}` }
}

function attributeRemoval(text: string, attribute: XmlAttribute): Splice {
  return { start: gapStart(text, attribute), end: attribute.span.end, text: '' }
}

function gapStart(text: string, { span }: XmlAttribute): number {
  let start = span.start
  while (isSpace(text.charCodeAt(start - 1))) start -= 1
  return start
}

function quoteOf(text: string, { valueSpan }: XmlAttribute): string {
  return text.charAt(valueSpan.end)
}

/** The splices of all edits among the children of one element. */
function childSplices(
  document: EditableDocument,
  layout: Layout,
  [parent, edits]: readonly [XmlElement, ChildEdits],
): Splice[] {
  const { text } = document
  if (isEmptied(parent, edits)) return closing(parent, layout)
  return [
    ...[...edits.removed].map((element) => elementRemoval(text, element)),
    ...[...edits.replaced].map(([element, by]) => replacement({ text, layout, element, by })),
    ...insertionSplices({ document, layout, parent, inserted: edits.inserted }),
  ]
}

function closing({ openTag, closeTag }: XmlElement, { emptyEnd }: Layout): Splice[] {
  if (!closeTag) return []
  return [{ start: openTag.end - '>'.length, end: closeTag.end, text: emptyEnd }]
}

/** Takes the whole line, or lines, of an element that shares them with nothing. */
export function elementRemoval(text: string, { span }: XmlElement): Splice {
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
