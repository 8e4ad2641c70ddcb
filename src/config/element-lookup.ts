import type { XmlElement } from './xml-tree.ts'

/** The child elements of one name, in document order. */
export function childrenNamed(parent: XmlElement | null, name: string): XmlElement[] {
  const children = parent?.children ?? []
  return children.filter((child) => child.kind === 'element').filter((child) => child.name === name)
}

export function findChild(parent: XmlElement | null, name: string): XmlElement | null {
  return childrenNamed(parent, name)[0] ?? null
}

export function findAttribute(element: XmlElement, name: string): string | null {
  return element.attributes.get(name)?.value ?? null
}

/** Whether a boolean attribute says yes; XML Schema knows two ways to. */
export function isTrue(element: XmlElement, name: string): boolean {
  const value = findAttribute(element, name)?.trim()
  return value === 'true' || value === '1'
}

/** All character data of an element, CDATA included. */
export function textOf({ children }: XmlElement): string {
  return children.map((child) => (child.kind === 'text' ? child.text : '')).join('')
}
