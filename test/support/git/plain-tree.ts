import type { XmlElement, XmlNode } from '../../../src/document/xml/xml-tree.ts'

/** A tree as plain values to compare; it must hang together upwards too. */
export function plainTree(element: XmlElement): unknown {
  const { kind, name, span, openTag, closeTag } = element
  const children = element.children.map((child) => plainNode(child, element))
  const attributes = [...element.attributes].map(([key, attribute]) => [key, { ...attribute }])
  return { kind, name, span, openTag, closeTag, attributes, children }
}

function plainNode(node: XmlNode, parent: XmlElement): unknown {
  if (node.kind !== 'element') return node
  if (node.parent !== parent) throw new Error(`<${node.name}> hangs elsewhere`)
  return plainTree(node)
}
