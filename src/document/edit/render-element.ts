import { breakOf, type Layout } from './layout.ts'
import type { Inserted, NewElement, NewText } from './new-element.ts'
import { cdataSection, escapeAttribute, escapeText } from './xml-escape.ts'

/** Where an element is written: its line break and indentation, or null for "on the same line". */
export interface Rendering {
  readonly layout: Layout
  readonly lead: string | null
  /** The line break for line feeds inside texts. */
  readonly eol: string
}

/** The text of an element, without its own lead. An element that holds text stays on one line. */
export function renderElement(element: Inserted, rendering: Rendering): string {
  if (element.kind === 'verbatim') return element.text.replace(/\r\n?|\n/g, rendering.eol)
  const { layout, lead } = rendering
  const open = `<${element.name}${renderAttributes(element)}`
  if (element.children.length === 0) return `${open}${layout.emptyEnd}`
  const inline = lead === null || element.children.some((child) => child.kind === 'text')
  const inner = inline ? null : `${lead}${layout.unit}`
  const content = element.children
    .map((child) => `${inner ?? ''}${renderChild(child, { ...rendering, lead: inner })}`)
    .join('')
  return `${open}>${content}${inline ? '' : lead}</${element.name}>`
}

/** A carriage return is indistinguishable from a line ending inside CDATA, so such a text is escaped. */
export function renderText({ text, cdata }: NewText, eol: string): string {
  return cdata && !text.includes('\r') ? cdataSection(text, eol) : escapeText(text, eol)
}

export function renderingAt(text: string, layout: Layout, lead: string | null): Rendering {
  return { layout, lead, eol: breakOf(text, lead) }
}

function renderChild(child: Inserted | NewText, rendering: Rendering): string {
  return child.kind === 'text' ? renderText(child, rendering.eol) : renderElement(child, rendering)
}

function renderAttributes({ attributes }: NewElement): string {
  return attributes.map(([name, value]) => ` ${name}="${escapeAttribute(value, '"')}"`).join('')
}
