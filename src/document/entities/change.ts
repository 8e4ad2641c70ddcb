/** The lines of a text that a change is about, from 1, both ends included. */
export interface LineSpan {
  readonly first: number
  readonly last: number
}

export type ChangeKind = 'added' | 'removed' | 'renamed' | 'changed' | 'reordered' | 'reformatted'

/** One difference between two documents, in the words of the domain. */
export interface DocumentChange {
  readonly kind: ChangeKind
  /**
   * The changed entity: `pipeline/NAME`, `agent/UUID`, `server` and so on; `document` for a change
   * outside of all. A renamed entity goes by its new name.
   */
  readonly entity: string
  /** The entity's name for people, such as the host name of an agent. */
  readonly label: string
  /** The path inside the entity, outermost first: a word and a name each, such as `stage test`. */
  readonly path: readonly string[]
  /** The changed attribute, or element with its name, such as `variable REGION`. */
  readonly subject: string
  /** The value before and after; a secret is {@link HIDDEN}, and an unset value is absent. */
  readonly from?: string
  readonly to?: string
  /** How many lines were added or removed, if more than one. */
  readonly lines?: number
  /** Where to look in the older and in the newer text. */
  readonly before?: LineSpan
  readonly after?: LineSpan
}

/** The placeholder for a secret. */
export const HIDDEN = '•••• hidden'
