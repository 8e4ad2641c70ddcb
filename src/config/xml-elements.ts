import type { XmlElement } from './xml-tree.ts'

/** The elements among the children, all of them or those of some names. */
export function childElements(parent: XmlElement, ...names: readonly string[]): XmlElement[] {
  const found: XmlElement[] = []
  for (const child of parent.children) {
    if (child.kind !== 'element') continue
    if (names.length === 0 || names.includes(child.name)) found.push(child)
  }
  return found
}

/** The elements at the end of a path of names. Names joined by `|` stand for either. */
export function elementsAt(from: XmlElement, path: string): XmlElement[] {
  let found = [from]
  for (const step of path.split('/')) {
    const names = step.split('|')
    found = found.flatMap((parent) => childElements(parent, ...names))
  }
  return found
}

/** The text of an element, its CDATA sections included. */
export function textOf({ children }: XmlElement): string {
  return children.map((child) => (child.kind === 'text' ? child.text : '')).join('')
}

/** The value of an attribute, or null where it is absent. */
export function attributeOf({ attributes }: XmlElement, name: string): string | null {
  return attributes.get(name)?.value ?? null
}
