import type { XmlElement } from '../xml/xml-tree.ts'
import type { Inserted } from './new-element.ts'

/**
 * Where an element goes among the children of its parent, as the document was
 * read. `order` names the children in the order of the schema, the new one among
 * them: it goes behind the last that may be before it.
 */
export type InsertionPlace =
  | { readonly kind: 'first' }
  | { readonly kind: 'last' }
  | { readonly kind: 'before'; readonly sibling: XmlElement }
  | { readonly kind: 'after'; readonly sibling: XmlElement }
  | { readonly kind: 'order'; readonly names: readonly string[] }

/**
 * The treatment of a parent that loses its last child. A parent that still holds a comment stays.
 */
export type Emptied = 'close' | 'remove'

/** One change of a document at elements that the reader found. Edits of one list do not see each other. */
export type XmlEdit =
  | {
      readonly kind: 'insert'
      readonly parent: XmlElement
      readonly element: Inserted
      readonly place: InsertionPlace
    }
  | { readonly kind: 'replace'; readonly element: XmlElement; readonly by: Inserted }
  | { readonly kind: 'remove'; readonly element: XmlElement; readonly emptied: Emptied }
  /** Keeps the quotes of an attribute that exists; a new one goes behind the others. */
  | {
      readonly kind: 'set-attribute'
      readonly element: XmlElement
      readonly name: string
      readonly value: string
    }
  /** Puts another attribute in the place of one that exists. */
  | {
      readonly kind: 'replace-attribute'
      readonly element: XmlElement
      readonly from: string
      readonly name: string
      readonly value: string
    }
  | { readonly kind: 'remove-attribute'; readonly element: XmlElement; readonly name: string }
  /** Makes `text` the whole text of an element; comments inside stay. */
  | { readonly kind: 'set-text'; readonly element: XmlElement; readonly text: string }

export type EditOf<Kind extends XmlEdit['kind']> = Extract<XmlEdit, { kind: Kind }>
export type AttributeEdit = EditOf<'set-attribute' | 'replace-attribute' | 'remove-attribute'>
export type ChildEdit = EditOf<'insert' | 'replace' | 'remove'>
