import type { Attributes } from './attribute.ts'

/**
 * One row of the schema: an element in its place. Its content is a list of elements: `?` none or one, `*` any number,
 * `+` at least one, `(a|b)` either; side by side in this order, or joined by `&` in any order. `#type` is text of that
 * type, `#any` is not looked into.
 */
export interface ElementRow {
  readonly attributes?: Attributes
  readonly content?: string
  /** The content at other versions of the schema than the one that is known exactly, where it differs. */
  readonly elsewhere?: string
  /** Cairn acts on it: the order of children counts in it and below at every version. */
  readonly ordered?: true
  /** Later versions may have what no schema knows in it and below, which is kept as it is written. */
  readonly keepsUnknown?: true
  /** The child elements that hold a single value, as the model reads them. */
  readonly texts?: Attributes
}

/** Rows by element name, preceded by the names of parents where it means several things. */
export type ElementRows = Readonly<Record<string, ElementRow>>
