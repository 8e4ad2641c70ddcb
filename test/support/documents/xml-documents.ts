import { readXml, type XmlDocument } from '../../../src/document/xml/xml-reader.ts'
import type { XmlElement } from '../../../src/document/xml/xml-tree.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

/** Reads a text that the test knows to be well-formed. */
export function xmlDocument(text: string): XmlDocument {
  const reading = runSync(readXml(Buffer.from(text)))
  if (!reading.ok) throw new Error(`${reading.problems[0]?.message} in ${text}`)
  return reading
}

/** The first element of a name, in document order. */
export function elementNamed(root: XmlElement, name: string): XmlElement {
  const found = elementsOf(root).find((element) => element.name === name)
  if (!found) throw new Error(`no <${name}>`)
  return found
}

/** The limit of the texts whose documents are remembered. */
const MAX_REMEMBERED = 40
const remembered = new Map<string, XmlDocument>()

/** The document of a text, which is read once as long as it is asked for again and again. */
export function rememberedDocument(text: string): XmlDocument {
  const document = remembered.get(text) ?? xmlDocument(text)
  remembered.delete(text)
  remembered.set(text, document)
  const [oldest] = remembered.keys()
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  return document
}

/** An element and all below it, in document order. */
export function elementsOf(element: XmlElement): XmlElement[] {
  const below = element.children.flatMap((child) =>
    child.kind === 'element' ? elementsOf(child) : [],
  )
  return [element, ...below]
}
