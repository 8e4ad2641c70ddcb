import { malformedRequest, ServiceError } from '../../core/errors.ts'
import {
  asEntity,
  entityNamed,
  type EntityDefinition,
  type EntityElement,
  entityKey,
  entityOf,
  kindOfPrefix,
} from '../entities/entities.ts'
import { CRUISE_CHILDREN } from '../structure/child-order.ts'
import { elementsAt } from '../xml/xml-elements.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { editSplices, elementRemoval } from './apply-edits.ts'
import type { EditableDocument } from './layout.ts'
import { type Inserted, newElement, type VerbatimElement } from './new-element.ts'
import { applySplices, type Splice } from './splice.ts'
import type { InsertionPlace } from './xml-edit.ts'
import { shorten } from '../text/shown-text.ts'

/** The place of an entity in addresses: the first part of its name, and the rest, which is empty for the server. */
export interface EntityPlace {
  readonly kind: string
  readonly name: string
}

/** The entity at a place, or null where the document has none. */
export function findEntity(
  root: XmlElement,
  { kind: prefix, name }: EntityPlace,
): EntityElement | null {
  const kind = kindOfPrefix(prefix)
  return kind && entityNamed(root, kind, name)
}

/** Exactly the text of an entity. */
export function entityText(
  { source }: Pick<XmlDocument, 'source'>,
  { element }: EntityElement,
): string {
  return source.slice(element.span.start, element.span.end)
}

/**
 * Asserts that a text is one element of a kind, whatever its name, and nothing else.
 *
 * @throws {ServiceError} `malformed-request`.
 */
export function assertAlone(
  { text, root }: XmlDocument,
  place: Pick<EntityPlace, 'kind'>,
): EntityDefinition {
  const { span } = root
  const around = text.slice(0, span.start).replace(/^\uFEFF?(?:<\?xml[^>]*\?>)?/, '')
  if (/\S/.test(around + text.slice(span.end))) {
    throw notThis('There is text around the element; an entity is one element and nothing else')
  }
  const kind = kindOfPrefix(place.kind)
  const elements = kind?.steps.at(-1) ?? []
  if (kind !== null && elements.includes(root.name)) return kind
  throw notThis(`<${root.name}> is no ${place.kind}, which is <${elements.join('> or <')}>`)
}

/** An entity to be written into a document. */
export interface AddedEntity {
  readonly kind: EntityDefinition
  readonly element: Inserted
}

/** An entity in a text that holds nothing else. */
export interface SentEntity {
  readonly kind: EntityDefinition
  readonly name: string
  readonly element: XmlElement
  readonly text: string
}

/**
 * The entity that a text is, which must be the one of that place.
 *
 * @throws {ServiceError} `malformed-request` for another element, another name, or text around the element.
 */
export function sentEntity(sent: XmlDocument, place: EntityPlace): SentEntity {
  const kind = assertAlone(sent, place)
  const { text, root } = sent
  const { span } = root
  const { name } = asEntity(root, kind)
  if (entityKey({ kind, name }) === entityKey({ kind, name: place.name })) {
    return { kind, name, element: root, text: text.slice(span.start, span.end) }
  }
  const called = name === '' ? 'has no name' : `is called "${shorten(name)}"`
  throw notThis(`The element ${called}, and the address names "${shorten(place.name)}"`)
}

/**
 * The text of a document with a sent entity in the place of the one of its name, byte for byte, or
 * behind the others of its kind. No other line changes but that of a parent which was empty.
 *
 * @param group The group of a new pipeline.
 * @throws {ServiceError} `malformed-request` for a new pipeline without a group, and for the group of
 * a pipeline that is in another one; `entity-not-found` for a group that is not there.
 */
export function putEntity(
  document: EditableDocument,
  sent: SentEntity,
  group: string | null,
): string {
  return applySplices(document.text, putSplices(document, sent, group))
}

/**
 * The splices that {@link putEntity} makes.
 *
 * @throws {ServiceError} as {@link putEntity}.
 */
export function putSplices(
  document: EditableDocument,
  sent: SentEntity,
  group: string | null,
): readonly Splice[] {
  const standing = findEntity(document.root, { kind: sent.kind.prefix, name: sent.name })
  if (standing) {
    if (group !== null) assertInGroup(standing, group)
    return [{ ...standing.element.span, text: sent.text }]
  }
  const verbatim: VerbatimElement = { kind: 'verbatim', name: sent.element.name, text: sent.text }
  return insertSplices(document, { kind: sent.kind, element: verbatim }, group)
}

/**
 * The text of a document with a new entity behind the others of its kind.
 *
 * @throws {ServiceError} as {@link putEntity}.
 */
export function insertEntity(
  document: EditableDocument,
  added: AddedEntity,
  group: string | null,
): string {
  return applySplices(document.text, insertSplices(document, added, group))
}

function insertSplices(
  document: EditableDocument,
  added: AddedEntity,
  group: string | null,
): readonly Splice[] {
  const { parent, missing } = holderOf(document.root, added, group)
  const element = missing.reduceRight<Inserted>(
    (inner, name) => newElement(name, {}, [inner]),
    added.element,
  )
  const edit = { kind: 'insert', parent, element, place: placeIn(parent) } as const
  return editSplices(document, [edit])
}

/** The lists that every schema wants filled: each goes with its last entity. */
const NEVER_EMPTY: readonly (string | undefined)[] = ['templates', 'environments', 'roles']

/** The text of a document without an entity and the lines that it has for itself. */
export function removeEntity(document: EditableDocument, entity: EntityElement): string {
  return applySplices(document.text, removalSplices(document, entity))
}

/** The splices that {@link removeEntity} makes. */
export function removalSplices(
  document: EditableDocument,
  { element }: EntityElement,
): readonly Splice[] {
  if (NEVER_EMPTY.includes(element.parent?.name)) {
    return editSplices(document, [{ kind: 'remove', element, emptied: 'remove' }])
  }
  return [elementRemoval(document.text, element)]
}

function assertInGroup({ element }: EntityElement, group: string): void {
  const holder = element.parent && entityOf(element.parent)
  if (holder === null || holder.kind.word !== 'group' || holder.name === group) return
  throw notThis(
    `It is in the group "${shorten(holder.name)}"; only a new pipeline takes a group`,
    'group',
  )
}

/** The element that a new entity goes into, and the names of those between that are not there yet. */
interface Holder {
  readonly parent: XmlElement
  readonly missing: readonly string[]
}

function holderOf(root: XmlElement, { kind, element }: AddedEntity, group: string | null): Holder {
  if (kind.word === 'pipeline') return { parent: groupOf(root, group), missing: [] }
  if (group !== null) throw notThis('Only a new pipeline takes a group', 'group')
  const [names = [], ...others] = kind.steps.toReversed()
  const form = names.indexOf(element.name)
  let parent = root
  const missing: string[] = []
  for (const step of others.toReversed()) {
    const name = step.length === names.length ? (step[form] ?? '') : (step[0] ?? '')
    const [there] = missing.length === 0 ? elementsAt(parent, name) : []
    if (there) parent = there
    else missing.push(name)
  }
  return { parent, missing }
}

function groupOf(root: XmlElement, group: string | null): XmlElement {
  if (group === null) {
    throw notThis('A new pipeline needs the name of its group in the query: ?group=NAME', 'group')
  }
  const found = findEntity(root, { kind: 'group', name: group })
  if (found) return found.element
  const message = `The configuration has no group ${group}`
  throw new ServiceError('entity-not-found', message, { kind: 'group', name: group })
}

function placeIn(parent: XmlElement): InsertionPlace {
  return parent.parent === null ? { kind: 'order', names: CRUISE_CHILDREN } : { kind: 'last' }
}

function notThis(message: string, path = 'body'): ServiceError {
  return malformedRequest(message, path)
}
