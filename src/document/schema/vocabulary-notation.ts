/**
 * What may be in an element. Attributes are written `name:type`, text being
 * the type that goes without saying, with `!` where they are required. Content
 * is a list of elements: `?` none or one, `*` any number, `+` at least one,
 * `(a|b)` either; side by side in this order, or joined by `&` in any order.
 * `#type` is text of that type, `#any` is not looked into.
 */
export interface Notation {
  readonly attributes?: string
  readonly content?: string
}

/** `others` holds what differs at every version of the schema but the one that is known exactly. */
export interface Definition extends Notation {
  readonly others?: Notation
}

/** Definitions by element name, preceded by the names of parents where it means several things. */
export type Definitions = Readonly<Record<string, Definition>>
