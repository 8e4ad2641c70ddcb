import type { XmlDocument } from '../xml/xml-reader.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { applySplices, type Splice } from '../edit/splice.ts'

/** An element and the text that it is in. */
export interface Tagged {
  readonly text: XmlDocument['text']
  readonly element: XmlElement
}

/** An attribute as the base and both sides have it, with its quotes; null where it is absent. */
export interface AttributeSides {
  readonly name: string
  readonly base: string | null
  readonly ours: string | null
  readonly theirs: string | null
}

/** The text of an opening tag up to the last attribute. */
export function tagBody({ text, element: { openTag } }: Tagged): string {
  const tag = text.slice(openTag.start, openTag.end)
  return tag.slice(0, tag.endsWith('/>') ? -2 : -1).trimEnd()
}

/** The end of an opening tag, with the white space in front of it. */
export function tagEnd(tagged: Tagged): string {
  const { start, end } = tagged.element.openTag
  return tagged.text.slice(start + tagBody(tagged).length, end)
}

/**
 * Merges two edits of an opening tag attribute by attribute, in the layout of the side that has
 * changed that. `choose` takes a side where both have changed an attribute.
 */
export function mergeTag(
  sides: { readonly base: Tagged; readonly ours: Tagged; readonly theirs: Tagged },
  choose: (attribute: AttributeSides) => string | null,
): string {
  const { base, ours, theirs } = sides
  const [host, guest] = layoutOf(ours) === layoutOf(base) ? [theirs, ours] : [ours, theirs]
  const names = new Set([...attributesOf(host), ...attributesOf(guest), ...attributesOf(base)])
  const body = tagBody(host)
  const splices: Splice[] = []
  for (const name of names) {
    const attribute = {
      name,
      base: writtenIn(base, name),
      ours: writtenIn(ours, name),
      theirs: writtenIn(theirs, name),
    }
    const value = mergedValue(attribute, choose)
    const splice = value === writtenIn(host, name) ? null : spliceOf(host, name, value)
    if (splice !== null) splices.push(splice)
  }
  return applySplices(body, splices)
}

function mergedValue(
  attribute: AttributeSides,
  choose: (attribute: AttributeSides) => string | null,
): string | null {
  const { base, ours, theirs } = attribute
  if (ours === base || ours === theirs) return theirs
  return theirs === base ? ours : choose(attribute)
}

/** In the text of the tag: another value, one attribute less, or one more at the end. */
function spliceOf({ text, element }: Tagged, name: string, value: string | null): Splice | null {
  const attribute = element.attributes.get(name)
  const { start: from } = element.openTag
  if (attribute === undefined) {
    if (value === null) return null
    const { length } = tagBody({ text, element })
    return { start: length, end: length, text: ` ${name}=${value}` }
  }
  const { span, valueSpan } = attribute
  if (value !== null) {
    return { start: valueSpan.start - 1 - from, end: valueSpan.end + 1 - from, text: value }
  }
  const space = spaceAtEnd(text.slice(from, span.start))
  return { start: span.start - space.length - from, end: span.end - from, text: '' }
}

/** The white space in front of the attributes of a tag. */
function layoutOf({ text, element: { openTag, attributes } }: Tagged): string {
  const spaces = Array.from(attributes.values(), ({ span }) =>
    spaceAtEnd(text.slice(openTag.start, span.start)),
  )
  return spaces.join('|')
}

function spaceAtEnd(text: string): string {
  return text.slice(text.trimEnd().length)
}

function attributesOf({ element }: Tagged): Iterable<string> {
  return element.attributes.keys()
}

/** The value of an attribute as it is written, with its quotes. */
function writtenIn({ text, element }: Tagged, name: string): string | null {
  const span = element.attributes.get(name)?.valueSpan
  return span === undefined ? null : text.slice(span.start - 1, span.end + 1)
}
