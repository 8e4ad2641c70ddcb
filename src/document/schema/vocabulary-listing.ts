import type { ValueType } from './value-types.ts'
import { CRUISE, type ElementRule } from './vocabulary.ts'

interface ListedAttribute {
  readonly required?: true
  /** All values, where they can be listed. */
  readonly values?: readonly string[]
}

interface ListedElement {
  readonly attributes: Readonly<Record<string, ListedAttribute>>
  /** The key of each element that it may contain, by name. */
  readonly children: Readonly<Record<string, string>>
}

/** The content of each element, by its key; the key of the root is `cruise`. */
export type VocabularyListing = Readonly<Record<string, ListedElement>>

/** The vocabulary as data: of the schema version that is known exactly, or of all versions together. */
export function listVocabulary(of: 'exact' | 'others'): VocabularyListing {
  const listed = new Map<string, ListedElement>()
  const add = (rule: ElementRule) => {
    if (listed.has(rule.key)) return
    const { attributes, children } = rule[of]
    const each = [...attributes].map(([name, { type, required }]) => {
      return [name, { ...(required && { required }), ...valuesOf(type) }] as const
    })
    const keys = [...children].map(([name, { key }]) => [name, key] as const)
    listed.set(rule.key, {
      attributes: Object.fromEntries(each),
      children: Object.fromEntries(keys),
    })
    for (const child of children.values()) add(child)
  }
  add(CRUISE)
  return Object.fromEntries(listed)
}

function valuesOf({ values }: ValueType): Pick<ListedAttribute, 'values'> {
  return values === undefined ? {} : { values }
}
