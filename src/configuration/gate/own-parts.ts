import { nameKey } from '../../core/name-key.ts'
import {
  ENTITY_KINDS,
  entitiesIn,
  type EntityElement,
  entityName,
} from '../../document/entities/entities.ts'
import type { XmlDocument } from '../../document/xml/xml-reader.ts'
import type { XmlElement } from '../../document/xml/xml-tree.ts'
import type { Permissions } from '../../security/permissions.ts'

/** The pipeline groups and templates that a caller administers both before a change and after it. */
export interface OwnParts {
  hasGroup(name: string): boolean
  hasTemplate(name: string): boolean
}

export function ownPartsOf(before: Permissions, after: Permissions): OwnParts {
  return {
    hasGroup: (name) => before.administersGroup(name) && after.administersGroup(name),
    hasTemplate: (name) => before.administersTemplate(name) && after.administersTemplate(name),
  }
}

const DELEGATED = ENTITY_KINDS.filter(({ word }) => word === 'group' || word === 'template')

/** A document in the pieces that are a caller's own, and those around them. */
export interface DividedDocument {
  readonly own: readonly string[]
  /** The text around, with the name of each part in its place: equal when nothing around differs. */
  readonly around: readonly string[]
}

/** Every character is in exactly one piece: comments and white space between groups are nobody's own. */
export function divide(
  { text, root }: Pick<XmlDocument, 'text' | 'root'>,
  parts: OwnParts,
): DividedDocument {
  const entities = ownEntities(root, parts)
  const own: string[] = []
  const around: string[] = []
  let from = 0
  for (const entity of entities) {
    const { start, end } = entity.element.span
    around.push(text.slice(from, start), nameKey(entityName(entity)))
    own.push(text.slice(start, end))
    from = end
  }
  around.push(text.slice(from))
  return { own, around }
}

/** The elements of a document that are a caller's own, in its order. */
export function ownElements(root: XmlElement, parts: OwnParts): readonly XmlElement[] {
  return ownEntities(root, parts).map(({ element }) => element)
}

function ownEntities(root: XmlElement, parts: OwnParts): readonly EntityElement[] {
  return DELEGATED.flatMap((kind) => entitiesIn(root, kind))
    .filter((entity) => isOwn(entity, parts))
    .toSorted((one, other) => one.element.span.start - other.element.span.start)
}

export function isSameAround(one: DividedDocument, other: DividedDocument): boolean {
  return (
    one.around.length === other.around.length &&
    one.around.every((piece, n) => piece === other.around[n])
  )
}

function isOwn({ kind, name }: EntityElement, parts: OwnParts): boolean {
  return kind.word === 'group' ? parts.hasGroup(name) : parts.hasTemplate(name)
}

/** A document with blank lines in the place of all that is not a caller's own. */
export function withoutOthers(
  document: Pick<XmlDocument, 'text' | 'root'>,
  parts: OwnParts,
): string {
  return aloneIn(document, ownElements(document.root, parts))
}

/** A document with blank lines in the place of all but some elements and the tags around them. */
export function aloneIn(
  { text, root }: Pick<XmlDocument, 'text' | 'root'>,
  elements: readonly XmlElement[],
): string {
  const parents = new Set([root, ...elements.flatMap(({ parent }) => parent ?? [])])
  const tags = [...parents].flatMap(({ openTag, closeTag }) => [openTag, closeTag ?? []].flat())
  const shown = [...elements.map(({ span }) => span), ...tags].toSorted(
    (one, other) => one.start - other.start,
  )
  const pieces: string[] = []
  let from = 0
  for (const { start, end } of shown) {
    // A pipeline may stand in a group that is shown, too.
    if (start < from) continue
    pieces.push(blank(text.slice(from, start)), text.slice(start, end))
    from = end
  }
  return [...pieces, blank(text.slice(from))].join('')
}

/** The line feeds of a text. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]+/g, '')
}
