import type { XmlAttribute, XmlElement } from '../xml/xml-tree.ts'
import { isSpace } from './layout.ts'
import type { Splice } from './splice.ts'
import { escapeAttribute } from './xml-escape.ts'
import type { AttributeEdit } from './xml-edit.ts'

/** The splice of an edit inside an opening tag; null when there is nothing to do. */
export function attributeSplice(text: string, edit: AttributeEdit): Splice | null {
  const { element } = edit
  const standing = element.attributes.get(edit.kind === 'replace-attribute' ? edit.from : edit.name)
  if (edit.kind === 'remove-attribute') return standing ? removal(text, standing) : null
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

function removal(text: string, attribute: XmlAttribute): Splice {
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
