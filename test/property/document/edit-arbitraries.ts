import * as fc from 'fast-check'
import {
  type Inserted,
  type NewElement,
  newCdata,
  newElement,
  newText,
} from '../../../src/document/edit/new-element.ts'
import { escapeAttribute, escapeText } from '../../../src/document/edit/xml-escape.ts'
import type { InsertionPlace, XmlEdit } from '../../../src/document/edit/xml-edit.ts'
import type { XmlElement } from '../../../src/document/xml/xml-tree.ts'
import { elementsOf } from '../../support/documents/xml-documents.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const
const name = fc.constantFrom(...NAMES)
const value = fc.string({
  unit: fc.constantFrom('x', 'é', '&', '<', '>', '"', "'", '\n', '\r', '\t', ' '),
})
const someText = value.map((text) => (text.trim() === '' ? '' : text))

/** An element to insert; it holds either text or elements. */
export const freshElement: fc.Arbitrary<NewElement> = fc.letrec<{ element: NewElement }>((tie) => ({
  element: fc
    .record({
      name,
      attributes: fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true }),
      children: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constant([]),
        someText.filter((text) => text !== '').map((text) => [newText(text)]),
        someText.filter((text) => text !== '').map((text) => [newCdata(text)]),
        fc.array(tie('element'), { maxLength: 3 }),
      ),
    })
    .map((draft) => newElement(draft.name, draft.attributes, draft.children)),
})).element

interface Style {
  readonly eol: string
  /** Null for a document of one line. */
  readonly unit: string | null
  readonly quote: string
  readonly emptyEnd: string
  readonly between: string
  readonly ends: string
  readonly mark: string
}

const style: fc.Arbitrary<Style> = fc.record({
  eol: fc.constantFrom('\n', '\r\n'),
  unit: fc.constantFrom('  ', '\t', '    ', '', null),
  quote: fc.constantFrom('"', "'"),
  emptyEnd: fc.constantFrom('/>', ' />', '\n/>'),
  between: fc.constantFrom('', '', '<!-- a < b -->', '\n\n', '  <!-- c -->', '\n  <!-- d -->'),
  ends: fc.constantFrom('', '\n', '\n\n'),
  mark: fc.constantFrom('', '\uFEFF'),
})

/** A document of few names in one of the many ways people lay them out. */
export const laidOutDocument: fc.Arbitrary<string> = fc
  .tuple(freshElement, style)
  .map(([element, chosen]) => {
    const body = written(element, chosen, chosen.unit === null ? null : '\n')
    const text = `${chosen.mark}<?xml version="1.0"?>${chosen.unit === null ? '' : '\n'}${body}`
    return `${text}${chosen.ends}`.replaceAll(/\r?\n/g, chosen.eol)
  })

function written(element: Inserted, chosen: Style, lead: string | null): string {
  if (element.kind === 'verbatim') return element.text
  const attributes = element.attributes.map(
    ([key, said]) => ` ${key}=${chosen.quote}${escapeAttribute(said, chosen.quote)}${chosen.quote}`,
  )
  const open = `<${element.name}${attributes.join('')}`
  if (element.children.length === 0) return `${open}${chosen.emptyEnd}`
  const inner = lead === null ? null : `${lead}${chosen.unit}`
  const content = element.children.map((child) =>
    child.kind === 'text'
      ? escapeText(child.text, '\n')
      : `${inner ?? ''}${written(child, chosen, inner)}${chosen.between}`,
  )
  const close = element.children.some((child) => child.kind === 'text') ? '' : (lead ?? '')
  return `${open}>${content.join('')}${close}</${element.name}>`
}

const ONE_LINE = { unit: null, quote: "'", emptyEnd: '/>', between: '' } as const

/** The same element as some text has it. */
function verbatim(element: NewElement): Inserted {
  const chosen = { ...ONE_LINE, eol: '\n', ends: '', mark: '' }
  return { kind: 'verbatim', name: element.name, text: written(element, chosen, null) }
}

/** Numbers that choose an edit; a document makes an edit of them. */
export const wish = fc.record({
  kind: fc.constantFrom(
    'insert',
    'insert',
    'replace',
    'remove',
    'set-attribute',
    'replace-attribute',
    'remove-attribute',
    'set-text',
  ),
  target: fc.nat(),
  sibling: fc.nat(),
  place: fc.constantFrom('first', 'last', 'before', 'after', 'order'),
  emptied: fc.constantFrom('close', 'remove'),
  attribute: fc.nat(),
  value,
  element: fc.oneof(freshElement, freshElement.map(verbatim)),
})
type Wish = typeof wish extends fc.Arbitrary<infer Value> ? Value : never

/** Turns wishes into edits, leaving out those that contradict an earlier one. */
export function editsOf(root: XmlElement, wishes: readonly Wish[]): XmlEdit[] {
  const elements = elementsOf(root)
  const claims = new Claims()
  return wishes.flatMap((one) => {
    const target = elements[one.target % elements.length] ?? root
    const edit = editOf(one, target)
    return edit && !(isWhole(edit) && target === root) && claims.grant(edit) ? [edit] : []
  })
}

/** Keeps edits apart where one would ask for what another takes away. */
class Claims {
  readonly #edited = new Set<XmlElement>()
  readonly #filled = new Set<XmlElement>()
  readonly #gone = new Set<XmlElement>()
  readonly #mayVanish = new Set<XmlElement>()

  grant(edit: XmlEdit): boolean {
    if (edit.kind === 'insert') return this.#grantInsert(edit.parent)
    return isWhole(edit) ? this.#grantWhole(edit) : this.#grantInside(edit)
  }

  #grantInsert(parent: XmlElement): boolean {
    if (this.#gone.has(parent)) return false
    this.#filled.add(parent)
    return true
  }

  #grantInside({ kind, element }: Exclude<XmlEdit, { kind: 'insert' }>): boolean {
    const contrary = kind === 'set-text' && this.#filled.has(element)
    const sets = [this.#gone, this.#edited, this.#mayVanish]
    if (contrary || sets.some((set) => set.has(element))) return false
    this.#edited.add(element)
    if (kind === 'set-text') this.#gone.add(element)
    return true
  }

  #grantWhole(edit: Extract<XmlEdit, { kind: 'remove' | 'replace' }>): boolean {
    const inside = elementsOf(edit.element)
    const sets = [this.#gone, this.#edited, this.#filled]
    if (inside.some((element) => sets.some((set) => set.has(element)))) return false
    const above = edit.kind === 'remove' && edit.emptied === 'remove' ? ancestors(edit.element) : []
    if (above.some((element) => this.#edited.has(element))) return false
    for (const element of inside) this.#gone.add(element)
    for (const element of above) this.#mayVanish.add(element)
    return true
  }
}

function isWhole(edit: XmlEdit): edit is Extract<XmlEdit, { kind: 'remove' | 'replace' }> {
  return edit.kind === 'remove' || edit.kind === 'replace'
}

function ancestors({ parent }: XmlElement): XmlElement[] {
  return parent ? [parent, ...ancestors(parent)] : []
}

function editOf(one: Wish, target: XmlElement): XmlEdit | null {
  const element = target
  if (one.kind === 'insert' && !mixed(target)) {
    return { kind: 'insert', parent: target, element: one.element, place: placeIn(target, one) }
  }
  if (one.kind === 'replace') return { kind: 'replace', element, by: one.element }
  if (one.kind === 'remove') return { kind: 'remove', element, emptied: one.emptied }
  if (one.kind === 'set-text' && !target.children.some((child) => child.kind === 'element')) {
    return { kind: 'set-text', element, text: one.value.trim() }
  }
  return attributeEdit(one, element)
}

function attributeEdit(one: Wish, element: XmlElement): XmlEdit | null {
  const names = [...element.attributes.keys()]
  const known = names[one.attribute % Math.max(1, names.length)]
  const { value: said } = one
  if (one.kind === 'set-attribute') {
    return { kind: 'set-attribute', element, name: known ?? 'n', value: said }
  }
  if (one.kind === 'remove-attribute') {
    return { kind: 'remove-attribute', element, name: known ?? 'n' }
  }
  if (one.kind !== 'replace-attribute' || known === undefined) return null
  return { kind: 'replace-attribute', element, from: known, name: 'n', value: said }
}

function placeIn(parent: XmlElement, one: Wish): InsertionPlace {
  const children = parent.children.filter((child) => child.kind === 'element')
  const sibling = children[one.sibling % Math.max(1, children.length)]
  if (one.place === 'order') return { kind: 'order', names: NAMES }
  if (one.place === 'first' || one.place === 'last') return { kind: one.place }
  return sibling ? { kind: one.place, sibling } : { kind: 'last' }
}

function mixed({ children }: XmlElement): boolean {
  return children.some((child) => child.kind === 'text' && child.text.trim() !== '')
}
