import { XMLParser } from 'fast-xml-parser'

/** An element with what a model is made of. */
export interface SeenElement {
  readonly name: string
  readonly attributes: readonly (readonly [name: string, value: string])[]
  /** Without white space at the ends. */
  readonly text: string
  readonly children: readonly SeenElement[]
}

const ATTRIBUTES = ':@'
const PREFIX = '@'
const TEXT = '#text'
const CDATA = '#cdata'

/** Names that the parser refuses; an element of such a name gets another one. */
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

const ASIDES = /<!\[CDATA\[[^]*?\]\]>|<!--[^]*?-->|<\?[^]*?\?>/g

/** Reads a well-formed document by a parser that is not ours, to judge our own by. */
export function readAgain(text: string): SeenElement {
  // It takes an apostrophe in a processing instruction for the start of a string.
  const plain = text.replace(ASIDES, (aside) => (aside.startsWith('<?') ? '' : aside))
  const items: unknown = PARSER.parse(plain)
  const root = Array.isArray(items) ? items.find((item) => nameOf(item) !== TEXT) : undefined
  return seen(root)
}

function seen(item: unknown): SeenElement {
  const name = nameOf(item)
  const children: SeenElement[] = []
  let text = ''
  for (const part of listOf(item, name)) {
    if (nameOf(part) === TEXT) text += resolved(String(valueOf(part, TEXT)))
    else if (nameOf(part) === CDATA) text += cdataOf(part)
    else children.push(seen(part))
  }
  return { name, attributes: attributesOf(item), text: text.trim(), children }
}

function nameOf(item: unknown): string {
  const keys = typeof item === 'object' && item !== null ? Object.keys(item) : []
  return keys.find((key) => key !== ATTRIBUTES) ?? ''
}

function cdataOf(item: unknown): string {
  return listOf(item, CDATA)
    .map((part) => String(valueOf(part, TEXT)))
    .join('')
}

function attributesOf(item: unknown): (readonly [string, string])[] {
  return Object.entries(valueOf(item, ATTRIBUTES) ?? {}).map(([name, value]) => [
    name.slice(PREFIX.length),
    resolved(String(value).replace(/[\t\n]/g, ' ')),
  ])
}

function listOf(item: unknown, key: string): readonly unknown[] {
  const value = valueOf(item, key)
  return Array.isArray(value) ? value : []
}

function valueOf(item: unknown, key: string): unknown {
  const value: unknown = Object(item)[key]
  return value
}

const NAMED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

function resolved(text: string): string {
  return text.replace(/&([^;]+);/g, (written, reference: string) => {
    if (reference.startsWith('#x')) return String.fromCodePoint(parseInt(reference.slice(2), 16))
    if (reference.startsWith('#')) return String.fromCodePoint(parseInt(reference.slice(1), 10))
    return NAMED.get(reference) ?? written
  })
}
