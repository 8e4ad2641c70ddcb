import { applyEdits } from '../edit/apply-edits.ts'
import type { EditableDocument } from '../edit/layout.ts'
import { type Inserted, type NewElement, newElement } from '../edit/new-element.ts'
import type { InsertionPlace, XmlEdit } from '../edit/xml-edit.ts'
import { elementsAt, elementText } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import type { FieldPart, FormShape, FormList, RowKind } from './form-shape.ts'
import {
  type FormRow,
  type FormValues,
  isBlank,
  isFlag,
  itemsOf,
  NO_VALUES,
  readValues,
  SEALED,
  sectionElement,
  STORED,
  unshownOf,
  valueElement,
} from './form-values.ts'
import { addToGroup } from '../../lib/grouping.ts'

/**
 * The document with an element as a form has it. Only what the form changed is written: everything else
 * of the element, and all around it, stays byte for byte.
 */
export function applyForm(
  document: EditableDocument,
  { shape, element }: { readonly shape: FormShape; readonly element: XmlElement },
  values: FormValues,
): string {
  const edits = editsOf({ document, shape, element, values })
  return applyEdits(document, edits) ?? document.text
}

export function newElementOf(name: string, shape: FormShape, values: FormValues): NewElement {
  const attributes: Record<string, string | null> = {}
  const children: (Inserted | string)[] = []
  for (const part of shape.parts) {
    if (part.kind === 'section') {
      const section = values.sections.get(part.name) ?? NO_VALUES
      if (!isBlank(part.shape, section)) children.push(newElementOf(part.name, part.shape, section))
    } else if (part.kind === 'list') {
      const items = newItems(part, values.lists.get(part.name) ?? [])
      if (part.holder === null) children.push(...items)
      else if (items.length > 0) children.push(newElement(part.holder, {}, items))
    } else {
      addField(shape, part, { values, attributes, children })
    }
  }
  if (shape.variable === 'secure') attributes['secure'] = 'true'
  return newElement(name, attributes, inOrder(children, shape))
}

interface Written {
  readonly values: FormValues
  readonly attributes: Record<string, string | null>
  readonly children: (Inserted | string)[]
}

function addField(shape: FormShape, part: FieldPart, { values, attributes, children }: Written) {
  const value = values.fields.get(part.name) ?? ''
  const sealed = values.fields.get(part.name + SEALED) ?? ''
  if (shape.variable === 'secure' && part.kind === 'secret') {
    children.push(newElement('encryptedValue', {}, [sealed]))
  } else if (shape.variable === 'plain' && part.kind === 'text') {
    children.push(newElement('value', {}, value === '' ? [] : [value]))
  } else if (part.kind === 'secret') {
    if (sealed !== '') attributes['encryptedPassword'] = sealed
  } else if (part.kind === 'text') {
    if (value !== '') children.push(value)
  } else if (value !== '' && !(isFlag(part) && value === part.absent)) {
    attributes[part.name] = value
  }
}

/** The children of a new element in the order of the schema. */
function inOrder(children: readonly (Inserted | string)[], { order }: FormShape) {
  const rank = (child: Inserted | string) =>
    typeof child === 'string' ? -1 : order.indexOf(child.name)
  return children.toSorted((one, other) => rank(one) - rank(other))
}

function newItems(part: FormList, rows: readonly FormRow[]): NewElement[] {
  return rows.flatMap((row) => {
    const kind = kindOf(part, row)
    return kind ? [newElementOf(kind.element, kind.shape, row)] : []
  })
}

export function kindOf({ rows }: FormList, { kind }: Pick<FormRow, 'kind'>): RowKind | undefined {
  return rows.find((each) => each.kind === kind)
}

/** An element of a document, with the values that it is to have. */
interface Edited {
  readonly document: EditableDocument
  readonly shape: FormShape
  readonly element: XmlElement
  readonly values: FormValues
}

function editsOf(edited: Edited): XmlEdit[] {
  const { shape, element, values } = edited
  const before = readValues(shape, element)
  return shape.parts.flatMap((part): XmlEdit[] => {
    if (part.kind === 'list') return listEdits(edited, part)
    if (part.kind === 'section') {
      const section = values.sections.get(part.name) ?? NO_VALUES
      return sectionEdits(edited, part, section)
    }
    if (part.kind === 'secret') return secretEdits(edited, part)
    const value = values.fields.get(part.name) ?? ''
    if (value === before.fields.get(part.name)) return []
    return part.kind === 'text'
      ? textEdits(edited, value)
      : [attributeEdit(element, part.name, value)]
  })
}

function attributeEdit(element: XmlElement, name: string, value: string): XmlEdit {
  if (value === '') return { kind: 'remove-attribute', element, name }
  return { kind: 'set-attribute', element, name, value }
}

function textEdits({ shape, element }: Edited, text: string): XmlEdit[] {
  const target = valueElement(shape, element)
  const isMissing = shape.variable === 'plain' && target === element && !hasText(element)
  if (!isMissing) return [{ kind: 'set-text', element: target, text }]
  const value = newElement('value', {}, [text])
  return [{ kind: 'insert', parent: element, element: value, place: placeIn(shape) }]
}

function hasText(element: XmlElement): boolean {
  return elementText(element).trim() !== ''
}

/** A secret that was typed arrives sealed; without one, the secret of the document stays. */
function secretEdits(edited: Edited, part: FieldPart): XmlEdit[] {
  const { shape, element, values } = edited
  const sealed = values.fields.get(part.name + SEALED) ?? ''
  if (shape.variable === 'secure') return secureEdits(edited, sealed)
  const plain = element.attributeValue(part.name)
  const hasStored = values.fields.get(part.name + STORED) === 'true'
  if (sealed === '' && hasStored) return []
  if (sealed === '') {
    const stored = [part.name, 'encryptedPassword'].filter((name) => element.attributes.has(name))
    return stored.map((name) => ({ kind: 'remove-attribute', element, name }))
  }
  const name = 'encryptedPassword'
  if (plain === null) return [{ kind: 'set-attribute', element, name, value: sealed }]
  if (element.attributeValue(name) === null) {
    return [{ kind: 'replace-attribute', element, from: part.name, name, value: sealed }]
  }
  const removal = { kind: 'remove-attribute', element, name: part.name } as const
  return [removal, { kind: 'set-attribute', element, name, value: sealed }]
}

function secureEdits({ shape, element }: Edited, sealed: string): XmlEdit[] {
  if (sealed === '') return []
  const edits: XmlEdit[] = [{ kind: 'set-attribute', element, name: 'secure', value: 'true' }]
  const [standing] = elementsAt(element, 'encryptedValue')
  const [plain] = elementsAt(element, 'value')
  const written = newElement('encryptedValue', {}, [sealed])
  if (plain && standing) edits.push({ kind: 'remove', element: plain, emptied: 'close' })
  if (standing) return [...edits, { kind: 'set-text', element: standing, text: sealed }]
  if (plain) return [...edits, { kind: 'replace', element: plain, by: written }]
  if (hasText(element)) edits.push({ kind: 'set-text', element, text: '' })
  return [...edits, { kind: 'insert', parent: element, element: written, place: placeIn(shape) }]
}

function sectionEdits(
  { document, shape, element }: Edited,
  { name, shape: inner }: { readonly name: string; readonly shape: FormShape },
  values: FormValues,
): XmlEdit[] {
  const child = sectionElement(element, name)
  if (child === null) {
    if (isBlank(inner, values)) return []
    const made = newElementOf(name, inner, values)
    return [{ kind: 'insert', parent: element, element: made, place: placeIn(shape) }]
  }
  const { comments, elements } = unshownOf(inner, child)
  const wasBlank = isBlank(inner, readValues(inner, child))
  if (!wasBlank && isBlank(inner, values) && comments + elements.size === 0) {
    return [{ kind: 'remove', element: child, emptied: 'close' }]
  }
  return editsOf({ document, shape: inner, element: child, values })
}

function placeIn({ order: names }: FormShape): InsertionPlace {
  return { kind: 'order', names }
}

/**
 * Kept items stay where they are. Where their order changed, each place gets the text of the item that
 * comes there; what stands between the places, such as a comment, stays.
 */
function listEdits(edited: Edited, part: FormList): XmlEdit[] {
  const { document, shape, element, values } = edited
  const items = itemsOf(element, part)
  const rows = values.lists.get(part.name) ?? []
  const kept = rows.flatMap((row) => (row.from === null ? [] : [row.from]))
  const places = kept.toSorted((one, other) => one - other)
  const staying = new Set(kept)
  const edits: XmlEdit[] = items
    .filter((_, n) => !staying.has(n))
    .map(({ item }) => ({
      kind: 'remove',
      element: item,
      emptied: part.holder === null ? 'close' : 'remove',
    }))
  const added = new Map<XmlElement | null, NewElement[]>()
  let anchor: XmlElement | null = null
  let n = 0
  for (const row of rows) {
    const kind = kindOf(part, row)
    if (!kind) continue
    if (row.from === null) {
      addToGroup(added, anchor, newElementOf(kind.element, kind.shape, row))
      continue
    }
    const own = items[row.from]?.item
    const place = items[places[n] ?? -1]?.item
    n += 1
    if (!own || !place) continue
    anchor = place
    const inner = editsOf({ document, shape: kind.shape, element: own, values: row })
    if (own === place) edits.push(...inner)
    else edits.push(replacedBy(document, { place, own, inner }))
  }
  for (const [after, elements] of added) {
    edits.push(
      ...insertions(
        { parent: element, part, after, first: items[places[0] ?? -1]?.item, shape },
        elements,
      ),
    )
  }
  return edits
}

interface Move {
  readonly place: XmlElement
  readonly own: XmlElement
  readonly inner: readonly XmlEdit[]
}

function replacedBy(document: EditableDocument, { place, own, inner }: Move): XmlEdit {
  const edited = (inner.length > 0 && applyEdits(document, inner)) || document.text
  const end = own.span.end + edited.length - document.text.length
  const text = edited.slice(own.span.start, end)
  return { kind: 'replace', element: place, by: { kind: 'verbatim', name: own.name, text } }
}

interface Insertions {
  readonly parent: XmlElement
  readonly part: FormList
  /** The item before; null where the new ones are the first. */
  readonly after: XmlElement | null
  /** The first of the items that stay. */
  readonly first: XmlElement | undefined
  readonly shape: FormShape
}

function insertions(
  { parent, part, after, first, shape }: Insertions,
  elements: readonly NewElement[],
): XmlEdit[] {
  const sibling = after ?? first
  if (sibling?.parent) {
    const place = { kind: after === null ? 'before' : 'after', sibling } as const
    const { parent: holder } = sibling
    return elements.map((element) => ({ kind: 'insert', parent: holder, element, place }))
  }
  const holder = part.holder === null ? null : sectionElement(parent, part.holder)
  if (part.holder !== null && holder === null) {
    const element = newElement(part.holder, {}, elements)
    return [{ kind: 'insert', parent, element, place: placeIn(shape) }]
  }
  return elements.map((element) => ({
    kind: 'insert',
    parent: holder ?? parent,
    element,
    place: holder === null ? placeIn(shape) : { kind: 'last' },
  }))
}
