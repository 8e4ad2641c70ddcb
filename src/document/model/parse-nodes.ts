import { XMLParser } from 'fast-xml-parser'
import type { XmlElement, XmlNode } from '../xml/xml-tree.ts'
import { ModelNode } from './model-node.ts'

const ATTRIBUTES = ':@'
const PREFIX = '@'
const TEXT = '#text'
const CDATA = '#cdata'
/** Names that the parser refuses. No configuration has such an element; any other name will do. */
const REFUSED = new Set(['__proto__', 'constructor', 'prototype'])

const PARSER = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: PREFIX,
  attributesGroupName: ATTRIBUTES,
  textNodeName: TEXT,
  cdataPropName: CDATA,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  jPath: false,
  maxNestedTags: 1000,
  transformTagName: (name) => (REFUSED.has(name) ? `-${name}` : name),
})

/**
 * Reads a document that is known to be well-formed into nodes for the model, or an element that
 * is in one `at` some place.
 */
export function parseNodes(
  document: { text: string; root: XmlElement },
  at: readonly number[] = [],
): ModelNode {
  const items: unknown = PARSER.parse(withoutInstructions(document))
  const [root] = Array.isArray(items) ? items : []
  return nodeOf(root, at)
}

/** The parser takes an apostrophe in a processing instruction for the start of a string. */
function withoutInstructions({ text, root }: { text: string; root: XmlElement }): string {
  const { start, end } = root.span
  const element = text.slice(start, end)
  if (!element.includes('<?')) return element
  const pieces: string[] = []
  let from = start
  for (const aside of asidesOf(root)) {
    pieces.push(text.slice(from, aside.span.start))
    from = aside.span.end
  }
  return pieces.join('') + text.slice(from, end)
}

function asidesOf(element: XmlElement): readonly XmlNode[] {
  return element.children.flatMap((child) => {
    if (child.kind === 'element') return asidesOf(child)
    return child.kind === 'aside' ? [child] : []
  })
}

function nodeOf(item: unknown, at: readonly number[]): ModelNode {
  const name = nameOf(item)
  const content = listOf(item, name)
  const children: ModelNode[] = []
  let text = ''
  for (const part of content) {
    const partName = nameOf(part)
    if (partName === TEXT) text += resolveReferences(stringOf(part, TEXT))
    else if (partName === CDATA) text += cdataOf(part)
    else children.push(nodeOf(part, placeOfChild(at, children.length)))
  }
  return new ModelNode({ name, at, text: text.trim(), children, attributes: attributesOf(item) })
}

/** Every part of a model keeps its place, and an array that is spread has room for three times as many numbers. */
function placeOfChild(at: readonly number[], index: number): readonly number[] {
  return at.concat(index)
}

function nameOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return ''
  for (const key in item) if (key !== ATTRIBUTES) return key
  return ''
}

function cdataOf(item: unknown): string {
  return listOf(item, CDATA)
    .map((part) => stringOf(part, TEXT))
    .join('')
}

function attributesOf(item: unknown): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>()
  const group = valueOf(item, ATTRIBUTES)
  if (typeof group !== 'object' || group === null) return attributes
  for (const [name, value] of Object.entries(group)) {
    const normalised = String(value).replace(/[\t\n]/g, ' ')
    attributes.set(name.slice(PREFIX.length), resolveReferences(normalised))
  }
  return attributes
}

function listOf(item: unknown, key: string): readonly unknown[] {
  const value = valueOf(item, key)
  return Array.isArray(value) ? value : []
}

function stringOf(item: unknown, key: string): string {
  const value = valueOf(item, key)
  return typeof value === 'string' ? value : ''
}

function valueOf(item: unknown, key: string): unknown {
  if (typeof item !== 'object' || item === null) return undefined
  const value: unknown = Reflect.get(item, key)
  return value
}

const NAMED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

function resolveReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&([^;]+);/g, (written, reference: string) => {
    if (reference.startsWith('#x')) return String.fromCodePoint(parseInt(reference.slice(2), 16))
    if (reference.startsWith('#')) return String.fromCodePoint(parseInt(reference.slice(1), 10))
    return NAMED.get(reference) ?? written
  })
}
