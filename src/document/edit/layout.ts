import type { XmlElement, XmlNode } from '../xml/xml-tree.ts'

/** The exact text of a document and the tree that points into it. */
export interface EditableDocument {
  readonly text: string
  readonly root: XmlElement
}

/** How a document is laid out, as far as its text shows. */
export interface Layout {
  /** The end of an empty-element tag: ` />` or `/>`. */
  readonly emptyEnd: string
  /** One step of indentation. */
  readonly unit: string
}

const DEFAULT_UNIT = '  '

export function layoutOf({ text, root }: EditableDocument): Layout {
  const tight = !text.includes(' />') && text.includes('/>')
  return { emptyEnd: tight ? '/>' : ' />', unit: documentUnit(text, root) }
}

/** The line break and indentation before an offset; null when something else comes before it on its line. */
export function leadBefore(text: string, offset: number): string | null {
  let start = offset
  while (start > 0 && isBlank(text.charCodeAt(start - 1))) start -= 1
  if (start === 0 || !isBreak(text.charCodeAt(start - 1))) return null
  const crlf = text.startsWith('\r\n', start - 2)
  return text.slice(start - (crlf ? 2 : 1), offset)
}

/** The lead of an element; the root counts as standing on its own line in any document of several lines. */
export function leadOf({ text, root }: EditableDocument, element: XmlElement): string | null {
  const lead = leadBefore(text, element.span.start)
  return lead === null && element === root ? firstBreak(text) : lead
}

export function indentOf(lead: string): string {
  return lead.replace(/^[\r\n]+/, '')
}

/** The line break of a lead; without one, that of the document's first line. */
export function breakOf(text: string, lead: string | null): string {
  return lead?.match(/^[\r\n]+/)?.[0] ?? firstBreak(text) ?? '\n'
}

/** Where the line of `offset` ends, if nothing but blanks and whole comments follow on it; else `offset`. */
export function lineEndAfter(text: string, offset: number): number {
  let position = offset
  while (true) {
    while (isBlank(text.charCodeAt(position))) position += 1
    if (isBreak(text.charCodeAt(position))) return position
    const comment = commentAt(text, position)
    if (comment === null || /[\r\n]/.test(comment)) return offset
    position += comment.length
  }
}

/** The end of an offset's line when only blanks come before it; null otherwise. */
export function lineEndAt(text: string, offset: number): number | null {
  let position = offset
  while (isBlank(text.charCodeAt(position))) position += 1
  return isBreak(text.charCodeAt(position)) ? position : null
}

export function isSpace(code: number): boolean {
  return isBlank(code) || isBreak(code)
}

export function isElement(node: XmlNode): node is XmlElement {
  return node.kind === 'element'
}

/** Whether a node carries no meaning of its own: white space between elements. */
export function isWhiteSpace(node: XmlNode): boolean {
  return node.kind === 'text' && !node.cdata && !/[^ \t\r\n]/.test(node.text)
}

function commentAt(text: string, offset: number): string | null {
  if (!text.startsWith('<!--', offset)) return null
  return text.slice(offset, text.indexOf('-->', offset) + 3)
}

function firstBreak(text: string): string | null {
  return text.match(/\r\n|\n|\r/)?.[0] ?? null
}

/** The first step by which some element is indented more than its parent; none where all are flush left. */
function documentUnit(text: string, root: XmlElement): string {
  const queue: { readonly element: XmlElement; readonly indent: string }[] = [
    { element: root, indent: indentOf(leadBefore(text, root.span.start) ?? '') },
  ]
  let flush = false
  for (const { element, indent } of queue) {
    for (const child of element.children.filter(isElement)) {
      const lead = leadBefore(text, child.span.start)
      if (lead === null) continue
      const step = stepBetween(indent, indentOf(lead))
      if (step !== '') return step
      flush = true
      queue.push({ element: child, indent: indentOf(lead) })
    }
  }
  return flush ? '' : DEFAULT_UNIT
}

/** The additional indentation of an inner line. */
export function stepBetween(outer: string, inner: string): string {
  return inner.startsWith(outer) ? inner.slice(outer.length) : ''
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d
}
