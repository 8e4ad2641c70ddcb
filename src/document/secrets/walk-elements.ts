import type { XmlElement } from '../xml/xml-tree.ts'

/** An element and all below it, in document order. */
export function* walkElements(element: XmlElement): Generator<XmlElement> {
  yield element
  for (const child of element.children) {
    if (child.kind === 'element') yield* walkElements(child)
  }
}
