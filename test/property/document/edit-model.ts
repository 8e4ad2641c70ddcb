import type { Inserted } from '../../../src/document/edit/new-element.ts'
import type { XmlEdit } from '../../../src/document/edit/xml-edit.ts'
import type { XmlElement } from '../../../src/document/xml/xml-tree.ts'
import { xmlDocument } from '../../support/documents/xml-documents.ts'

/** An element without its places and comments, as a second way to carry out edits. */
export interface Plain {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly text: string
  readonly children: readonly Plain[]
}

type Insert = Extract<XmlEdit, { kind: 'insert' }>

/** The expected meaning of a document after some edits. */
export function plainAfter(root: XmlElement, edits: readonly XmlEdit[]): Plain {
  const [plain] = afterEdits(root, edits)
  if (!plain) throw new Error('the root went away')
  return plain
}

/** The comments that must still be there, in order. */
export function commentsAfter(
  { text, root }: { readonly text: string; readonly root: XmlElement },
  edits: readonly XmlEdit[],
): string[] {
  const gone = new Set(
    edits.flatMap((edit) =>
      edit.kind === 'remove' || edit.kind === 'replace' ? [edit.element] : [],
    ),
  )
  const within = (element: XmlElement): string[] =>
    element.children.flatMap((child) => {
      if (child.kind === 'aside') return [text.slice(child.span.start, child.span.end)]
      return child.kind === 'element' && !gone.has(child) ? within(child) : []
    })
  return within(root)
}

function afterEdits(element: XmlElement, edits: readonly XmlEdit[]): Plain[] {
  const own = edits.filter((edit) => edit.kind !== 'insert' && edit.element === element)
  if (own.some((edit) => edit.kind === 'remove')) return []
  const replacement = own.find((edit) => edit.kind === 'replace')
  if (replacement) return [plainOf(replacement.by)]
  const children = childrenAfter(element, edits)
  if (children.length === 0 && vanishes(element, edits)) return []
  const said = own.find((edit) => edit.kind === 'set-text')?.text
  const text = said ?? meaningOf(textOf(element))
  return [{ name: element.name, attributes: attributesAfter(element, own), text, children }]
}

function vanishes(element: XmlElement, edits: readonly XmlEdit[]): boolean {
  const emptying = edits.some(
    (edit) =>
      edit.kind === 'remove' && edit.element.parent === element && edit.emptied === 'remove',
  )
  return (
    emptying && element.parent !== null && !element.children.some((child) => child.kind === 'aside')
  )
}

function childrenAfter(parent: XmlElement, edits: readonly XmlEdit[]): Plain[] {
  const inserts = edits.filter((edit) => edit.kind === 'insert' && edit.parent === parent)
  const children = parent.children.filter((child) => child.kind === 'element')
  const at = (index: number): Plain[] =>
    inserts.flatMap((edit) =>
      edit.kind === 'insert' && indexFor(edit, children) === index ? [plainOf(edit.element)] : [],
    )
  return [
    ...children.flatMap((child, index) => [...at(index), ...afterEdits(child, edits)]),
    ...at(children.length),
  ]
}

function indexFor({ place, element }: Insert, children: readonly XmlElement[]): number {
  if (place.kind === 'first') return 0
  if (place.kind === 'last') return children.length
  if (place.kind === 'before') return children.indexOf(place.sibling)
  if (place.kind === 'after') return children.indexOf(place.sibling) + 1
  const rank = (name: string): number => place.names.indexOf(name)
  const fits = children.map(({ name }) => rank(name) >= 0 && rank(name) <= rank(element.name))
  return fits.lastIndexOf(true) + 1
}

function attributesAfter(
  element: XmlElement,
  edits: readonly XmlEdit[],
): Readonly<Record<string, string>> {
  const values = new Map([...element.attributes.values()].map(({ name, value }) => [name, value]))
  for (const edit of edits) {
    if (edit.kind === 'replace-attribute') values.delete(edit.from)
    if (edit.kind === 'remove-attribute') values.delete(edit.name)
    if (edit.kind === 'set-attribute' || edit.kind === 'replace-attribute') {
      values.set(edit.name, edit.value)
    }
  }
  return Object.fromEntries(values)
}

function plainOf(inserted: Inserted): Plain {
  if (inserted.kind === 'verbatim') return plainAfter(xmlDocument(inserted.text).root, [])
  const { name, attributes, children } = inserted
  return {
    name,
    attributes: Object.fromEntries(attributes),
    text: children.map((child) => (child.kind === 'text' ? child.text : '')).join(''),
    children: children.flatMap((child) => (child.kind === 'text' ? [] : [plainOf(child)])),
  }
}

function textOf({ children }: XmlElement): string {
  return children.map((child) => (child.kind === 'text' ? child.text : '')).join('')
}

function meaningOf(text: string): string {
  return text.trim() === '' ? '' : text
}
