/** Character data to be written, as a CDATA section when asked for. */
export interface NewText {
  readonly kind: 'text'
  readonly text: string
  readonly cdata: boolean
}

/** An element as some other text has it, to be written as it is but for its line breaks. */
export interface VerbatimElement {
  readonly kind: 'verbatim'
  readonly name: string
  readonly text: string
}

/** An element that can be inserted among the children of another. */
export type Inserted = NewElement | VerbatimElement

/** An element to be written. Attributes are in the order given. */
export interface NewElement {
  readonly kind: 'element'
  readonly name: string
  readonly attributes: readonly (readonly [name: string, value: string])[]
  readonly children: readonly (Inserted | NewText)[]
}

/** Makes an element; an attribute that is null is left out, a string child becomes its text. */
export function newElement(
  name: string,
  attributes: Readonly<Record<string, string | null>> = {},
  children: readonly (Inserted | NewText | string)[] = [],
): NewElement {
  return {
    kind: 'element',
    name,
    attributes: Object.entries(attributes).flatMap(([key, value]) =>
      value === null ? [] : [[key, value] as const],
    ),
    children: children.map((child) => (typeof child === 'string' ? newText(child) : child)),
  }
}

export function newText(text: string): NewText {
  return { kind: 'text', text, cdata: false }
}

export function newCdata(text: string): NewText {
  return { kind: 'text', text, cdata: true }
}
