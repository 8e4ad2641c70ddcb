import { z } from 'zod'
import { findEntity } from '../../document/entities/find-entity.ts'
import type { XmlDocument } from '../../document/xml/xml-reader.ts'
import { withOwnLineEndings } from '../../configuration/save/line-endings.ts'

/** The entities that can be edited on their own, or have a history page. */
export const EntityName = z.object({
  kind: z.enum(['pipeline', 'group', 'template', 'environment', 'agent', 'role']),
  name: z.string().min(1),
})
export type EntityName = z.infer<typeof EntityName>

/** The edited part of a document: all of it, or one entity. */
export interface EditScope {
  readonly text: string
  /** The line of the document at which the part starts, from 1. */
  readonly firstLine: number
  /** The document with the part replaced by the typed text. */
  compose(typed: string): string
}

/** The part of a document that an entity occupies; null when the document does not contain it. */
export function findScope(document: XmlDocument, entity: EntityName | null): EditScope | null {
  const { text } = document
  if (entity === null) {
    return { text, firstLine: 1, compose: (typed) => withOwnLineEndings(text, typed) }
  }
  const span = findSpan(document, entity)
  if (span === null) return null
  const { start, end } = span
  const part = text.slice(start, end)
  return {
    text: part,
    firstLine: document.lines.positionOf(start).line,
    compose: (typed) =>
      text.slice(0, start) + withOwnLineEndings(part, withoutLastBreak(typed)) + text.slice(end),
  }
}

/**
 * Starts at the beginning of the line if only white space precedes, which keeps the indentation.
 */
function findSpan({ text, root }: XmlDocument, entity: EntityName) {
  const element = findEntity(root, entity)
  if (!element) return null
  const { start, end } = element.span
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const isFirst = text.slice(lineStart, start).trim() === ''
  return { start: isFirst ? lineStart : start, end }
}

function withoutLastBreak(typed: string): string {
  return typed.replace(/(\r\n|\r|\n)$/, '')
}
