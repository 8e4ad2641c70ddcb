import {
  entitiesIn,
  type EntityElement,
  ENTITY_KINDS,
  SERVER,
} from '../../document/entities/entities.ts'
import { childElements } from '../../document/xml/xml-elements.ts'
import type { XmlDocument } from '../../document/xml/xml-reader.ts'
import type { Span } from '../../document/xml/xml-tree.ts'

type WrittenDocument = Pick<XmlDocument, 'source' | 'root'>

/** The text of an entity without the entities in it, each of which has a mark in its place. */
export function ownTextOf(document: WrittenDocument, { kind, element }: EntityElement): string {
  if (kind.word === 'group') {
    const pipelines = childElements(element).filter(({ name }) => name === 'pipeline')
    return textWithout(document, element.span, pipelines)
  }
  if (kind.word === SERVER) return textWithout(document, element.span, entitiesOfServer(document))
  return document.source.slice(element.span.start, element.span.end)
}

/** The text of a document around all entities. */
export function textAround(document: WrittenDocument): string {
  const entities = ENTITY_KINDS.flatMap((kind) => entitiesIn(document.root, kind))
  const whole = { start: 0, end: document.source.length }
  return textWithout(
    document,
    whole,
    entities.map(({ element }) => element),
  )
}

function entitiesOfServer({ root }: WrittenDocument) {
  const kinds = ENTITY_KINDS.filter(({ isOfServer, word }) => isOfServer && word !== SERVER)
  return kinds.flatMap((kind) => entitiesIn(root, kind)).map(({ element }) => element)
}

function textWithout(
  { source }: WrittenDocument,
  { start, end }: Span,
  inner: readonly { readonly span: Span }[],
): string {
  const pieces: string[] = []
  let from = start
  for (const { span } of inner.toSorted((one, other) => one.span.start - other.span.start)) {
    if (span.start < from) continue
    pieces.push(source.slice(from, span.start))
    from = span.end
  }
  return [...pieces, source.slice(from, end)].join('\0')
}
