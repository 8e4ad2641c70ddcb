import { z } from 'zod'
import { ENTITY_KINDS, findNamedEntity } from '../../document/entities/entities.ts'
import type { XmlDocument } from '../../document/xml/xml-reader.ts'
import type { Span } from '../../document/xml/xml-tree.ts'
import { withOwnLineEndings } from '../../configuration/save/line-endings.ts'

const EDITED = ENTITY_KINDS.filter(({ isEdited }) => isEdited).map(({ prefix }) => prefix)

/** The name of an entity that can be edited on its own. */
export const EntityName = z.object({
  kind: z.enum(EDITED),
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
 * The part of a document that an entity occupies; null when the document does not contain it. It starts at
 * the beginning of the line if only white space precedes, which keeps the indentation.
 */
export function findSpan(
  { text, root }: Pick<XmlDocument, 'text' | 'root'>,
  entity: EntityName,
): Span | null {
  const found = findNamedEntity(root, `${entity.kind}/${entity.name}`)
  if (!found) return null
  const { start, end } = found.element.span
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const isFirst = text.slice(lineStart, start).trim() === ''
  return { start: isFirst ? lineStart : start, end }
}

function withoutLastBreak(typed: string): string {
  return typed.replace(/(\r\n|\r|\n)$/, '')
}
