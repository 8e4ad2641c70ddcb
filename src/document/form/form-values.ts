import { VALUE_TYPES } from '../schema/value-types.ts'
import { childElements, elementsAt, elementText, isTrue } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { isWhiteSpace } from '../edit/layout.ts'
import type { FieldPart, FormPart, FormShape, FormList, RowKind } from './form-shape.ts'

export interface FormValues {
  readonly fields: ReadonlyMap<string, string>
  readonly sections: ReadonlyMap<string, FormValues>
  readonly lists: ReadonlyMap<string, readonly FormRow[]>
}

/** One row of a list: an item that the document has, or a new one. */
export interface FormRow extends FormValues {
  readonly kind: string
  /** The place of the item among those of its list; null for a new one. */
  readonly from: number | null
}

export const NO_VALUES: FormValues = { fields: new Map(), sections: new Map(), lists: new Map() }

/** The secret fields of a form have one of these beside their names. */
export const SEALED = '.sealed'
export const STORED = '.stored'

/** The values of an element as the document has them; those of a new one for null. */
export function readValues(shape: FormShape, element: XmlElement | null): FormValues {
  const fields = new Map<string, string>()
  const sections = new Map<string, FormValues>()
  const lists = new Map<string, readonly FormRow[]>()
  for (const part of shape.parts) {
    if (part.kind === 'section') {
      const child = element && sectionElement(element, part.name)
      sections.set(part.name, readValues(part.shape, child))
    } else if (part.kind === 'list') {
      const items = element === null ? [] : itemsOf(element, part)
      lists.set(
        part.name,
        items.map(({ item, row }, from) => ({
          kind: row.kind,
          from,
          ...readValues(row.shape, item),
        })),
      )
    } else if (part.kind === 'secret') {
      const isStored = element !== null && hasSecret(shape, part, element)
      fields.set(part.name + STORED, isStored ? 'true' : '')
    } else {
      fields.set(part.name, fieldValue(shape, part, element))
    }
  }
  return { fields, sections, lists }
}

/** The value of a field as the document has it; empty for none, of a flag the one that counts. */
function fieldValue(shape: FormShape, part: FieldPart, element: XmlElement | null): string {
  if (isFlag(part)) {
    const isThere = element !== null && element.attributeValue(part.name) !== null
    return String(isThere ? isTrue(element, part.name) : part.absent === 'true')
  }
  if (element === null) return ''
  if (part.kind === 'attribute') return element.attributeValue(part.name) ?? ''
  return textOf(valueElement(shape, element))
}

/** Line feeds as forms send them, which know of no other line endings. */
function textOf(element: XmlElement): string {
  return elementText(element).replaceAll(/\r\n?/g, '\n')
}

export function isFlag({ kind, type, absent }: FieldPart): boolean {
  return kind === 'attribute' && type === VALUE_TYPES.boolean && absent !== null
}

/** The element with the text of a field: for the value of a variable its child, where it has one. */
export function valueElement({ variable }: FormShape, element: XmlElement): XmlElement {
  if (variable === null) return element
  return elementsAt(element, 'value')[0] ?? element
}

function hasSecret({ variable }: FormShape, { name }: FieldPart, element: XmlElement): boolean {
  if (variable !== null) return true
  return [name, 'encryptedPassword'].some((each) => (element.attributeValue(each) ?? '') !== '')
}

export function sectionElement(element: XmlElement, name: string): XmlElement | null {
  return elementsAt(element, name)[0] ?? null
}

/** An item of a list in the document, and the kind of its row. */
export interface ListedItem {
  readonly item: XmlElement
  readonly row: RowKind
}

/** The items of a list that a form shows, in the order of the document. */
export function itemsOf(element: XmlElement, part: FormList): ListedItem[] {
  const holders = part.holder === null ? [element] : elementsAt(element, part.holder)
  return holders.flatMap((holder) =>
    childElements(holder).flatMap((item) => {
      const row = rowKindOf(part, item)
      return row ? [{ item, row }] : []
    }),
  )
}

function rowKindOf({ rows }: FormList, item: XmlElement): RowKind | undefined {
  const kinds = rows.filter(({ element }) => element === item.name)
  if (kinds.length < 2) return kinds[0]
  const isSecure = isTrue(item, 'secure') || elementsAt(item, 'encryptedValue').length > 0
  return kinds.find(({ shape }) => shape.variable === (isSecure ? 'secure' : 'plain'))
}

/** Whether nothing was filled in. */
export function isBlank(shape: FormShape, values: FormValues): boolean {
  return shape.parts.every((part) => isBlankPart(part, values))
}

function isBlankPart(part: FormPart, { fields, sections, lists }: FormValues): boolean {
  if (part.kind === 'section') return isBlank(part.shape, sections.get(part.name) ?? NO_VALUES)
  if (part.kind === 'list') return (lists.get(part.name) ?? []).length === 0
  if (part.kind === 'secret') {
    return [SEALED, STORED, ''].every((of) => (fields.get(part.name + of) ?? '') === '')
  }
  const value = fields.get(part.name) ?? ''
  return value === '' || (isFlag(part) && value === part.absent)
}

export function countRows({ sections, lists }: FormValues): number {
  const below = [...sections.values(), ...[...lists.values()].flat()]
  const own = below.length - sections.size
  return below.reduce((sum, values) => sum + countRows(values), own)
}

/** Without new rows in which nothing was filled in, though something is needed. */
export function withoutBlankRows(shape: FormShape, values: FormValues): FormValues {
  const sections = new Map(values.sections)
  const lists = new Map(values.lists)
  for (const part of shape.parts) {
    if (part.kind === 'section') {
      const section = values.sections.get(part.name) ?? NO_VALUES
      sections.set(part.name, withoutBlankRows(part.shape, section))
    } else if (part.kind === 'list') {
      const rows = (values.lists.get(part.name) ?? []).flatMap((row) => {
        const kind = part.rows.find(({ kind: each }) => each === row.kind)
        if (!kind || isLeftOut(kind.shape, row)) return []
        return [{ kind: row.kind, from: row.from, ...withoutBlankRows(kind.shape, row) }]
      })
      lists.set(part.name, rows)
    }
  }
  return { fields: values.fields, sections, lists }
}

/** A row that is nothing but a text goes with its text. */
function isLeftOut(shape: FormShape, row: FormRow): boolean {
  if (!isBlank(shape, row)) return false
  const needs = shape.parts.filter((part) => 'required' in part && part.required)
  return row.from === null ? needs.length > 0 : needs.some(({ kind }) => kind === 'text')
}

/** The parts of an element that a form does not show: comments, and elements and attributes by their names. */
export interface Unshown {
  readonly comments: number
  /** Counted by name. */
  readonly elements: ReadonlyMap<string, number>
}

export function unshownOf(shape: FormShape, element: XmlElement): Unshown {
  const elements = new Map<string, number>()
  const comments = countUnshown(shape, element, elements)
  return { comments, elements }
}

function countUnshown(
  shape: FormShape,
  element: XmlElement,
  elements: Map<string, number>,
): number {
  const add = (name: string) => elements.set(name, (elements.get(name) ?? 0) + 1)
  for (const name of element.attributes.keys()) if (!showsAttribute(shape, name)) add(name)
  let comments = asidesIn(element)
  const shown = new Set<XmlElement>()
  if (shape.variable !== null) {
    for (const child of elementsAt(element, 'value|encryptedValue')) shown.add(child)
  }
  for (const part of shape.parts) {
    if (part.kind === 'section') {
      const child = sectionElement(element, part.name)
      if (child === null) continue
      shown.add(child)
      comments += countUnshown(part.shape, child, elements)
    } else if (part.kind === 'list') {
      const items = itemsOf(element, part)
      for (const { item, row } of items) {
        shown.add(item)
        comments += countUnshown(row.shape, item, elements)
      }
      for (const holder of part.holder === null ? [] : elementsAt(element, part.holder)) {
        shown.add(holder)
        comments += asidesIn(holder)
        for (const child of childElements(holder)) if (!shown.has(child)) add(child.name)
      }
    }
  }
  for (const child of childElements(element)) if (!shown.has(child)) add(child.name)
  return comments
}

function showsAttribute({ parts, variable }: FormShape, name: string): boolean {
  if (variable !== null && name === 'secure') return true
  return parts.some(
    (part) =>
      (part.kind === 'attribute' && part.name === name) ||
      (part.kind === 'secret' && (part.name === name || name === 'encryptedPassword')),
  )
}

function asidesIn({ children }: XmlElement): number {
  return children.filter((child) => child.kind === 'aside' && !isWhiteSpace(child)).length
}
