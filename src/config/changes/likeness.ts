import { childElements, textOf } from '../xml-elements.ts'
import type { XmlElement } from '../xml-tree.ts'
import { nameAttributeOf } from './change.ts'

const ENOUGH = 0.6

/** An element with all that it says but its own name. */
export interface Portrait {
  readonly element: XmlElement
  readonly facts: readonly string[]
}

export function portraitOf(element: XmlElement): Portrait {
  return { element, facts: factsOf(element) }
}

/** Whether two elements of one kind are so much alike that only the name is new. */
export function isAlike(one: Portrait, other: Portrait): boolean {
  if (one.element.name !== other.element.name) return false
  const known = new Set(one.facts)
  const shared = other.facts.filter((fact) => known.has(fact)).length
  const most = Math.max(one.facts.length, other.facts.length)
  return most > 0 && shared / most >= ENOUGH
}

/** All that an element says but its own name. */
function factsOf(element: XmlElement): string[] {
  const named = nameAttributeOf(element)
  const attributes = [...element.attributes.values()]
  const own = attributes.flatMap(({ name, value }) => (name === named ? [] : [`@${name}=${value}`]))
  return [...own, ...childElements(element).flatMap((child) => factsWithin(child, child.name))]
}

function factsWithin(element: XmlElement, path: string): string[] {
  const attributes = [...element.attributes.values()]
  const own = attributes.map(({ name, value }) => `${path}@${name}=${value}`)
  const children = childElements(element)
  const text = children.length === 0 ? textOf(element).trim() : ''
  return [
    ...own,
    ...(text === '' ? [] : [`${path}=${text}`]),
    ...children.flatMap((child) => factsWithin(child, `${path}/${child.name}`)),
  ]
}
