import { runSync } from '../../lib/cooperative.ts'
import type { XmlLimits } from './xml-limits.ts'
import type { Span, XmlAttribute } from './xml-tree.ts'
import { DraftElement } from './xml-tree-builder.ts'

/** A character that only the strict reader judges. */
const UNUSUAL = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/
const DECLARATION = /<\?xml version="1\.0"(?: encoding="(?:utf-8|UTF-8)")?\?>/y
const SPACE = /[ \t\r\n]+/y
const OPENING = /<([A-Za-z_][\w.-]*)/y
const ATTRIBUTE =
  /[ \t\r\n]+(([A-Za-z_][\w.-]*)[ \t\r\n]*=[ \t\r\n]*("[^"<\t\r\n]*"|'[^'<\t\r\n]*'))/y
const OPENING_END = /[ \t\r\n]*(\/?)>/y
const COMMENT = '<!--'
const CLOSING = /<\/([A-Za-z_][\w.-]*)[ \t\r\n]*>/y
const REFERENCE = /&(?:(amp|lt|gt|quot|apos);)?/g
const REFERRED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** Characters that are looked through in one step, and tags, texts and comments that are read in one. */
const LOOKED_THROUGH = 1_048_576
const READ = 256

/** A tree of plain markup, with its number of elements, attributes, texts and comments. */
export interface PlainTree {
  readonly root: DraftElement
  readonly parts: number
}

/**
 * Reads a text that is one element of nothing but elements, attributes, texts and comments, with or without a
 * declaration of XML, in a fifth of the time of the strict reader and with the same tree. Null for every other text,
 * well-formed or not: the strict reader has to tell.
 */
export function readPlainTree(text: string, limits: XmlLimits): PlainTree | null {
  return runSync(plainTreeSteps(text, limits))
}

/** The same, in steps of some milliseconds. */
export function* plainTreeSteps(
  text: string,
  limits: XmlLimits,
): Generator<unknown, PlainTree | null> {
  for (let start = 0; start < text.length; start += LOOKED_THROUGH) {
    if (UNUSUAL.test(text.slice(start, start + LOOKED_THROUGH))) return null
    yield
  }
  return yield* new PlainReader(text, limits).read()
}

/** Markup in which a tag need not be one. */
const ASIDE = /<[!?]/
/** The element that is most of a pipeline. */
const SKIPPED = 'jobs'
const SLASH = 0x2f

/**
 * Reads the same of a text that is known to be such an element, without the insides of its jobs. Null where these are
 * not found at a glance.
 */
export function readWithoutJobs(text: string, limits: XmlLimits): DraftElement | null {
  if (UNUSUAL.test(text) || ASIDE.test(text)) return null
  return runSync(new PlainReader(text, limits, SKIPPED).read())?.root ?? null
}

class PlainReader {
  readonly #text: string
  readonly #limits: XmlLimits
  readonly #skipped: string | null
  readonly #stack: DraftElement[] = []
  #at = 0
  #parts = 0
  #elements = 0

  constructor(text: string, limits: XmlLimits, skipped: string | null = null) {
    this.#text = text
    this.#limits = limits
    this.#skipped = skipped
  }

  *read(): Generator<unknown, PlainTree | null> {
    if (this.#take(DECLARATION)) this.#skipAround()
    const root = this.#open(null)
    if (root === null) return null
    for (let read = 1; this.#stack.length > 0; read += 1) {
      if (!this.#next()) return null
      if (read % READ === 0) yield
    }
    this.#skipAround()
    const isAll = this.#at === this.#text.length && this.#parts <= this.#limits.maxParts
    return isAll ? { root, parts: this.#parts } : null
  }

  /** White space and comments outside of the element have no place in the tree. */
  #skipAround(): void {
    while (this.#take(SPACE) || this.#takeComment()) this.#parts += 1
  }

  /** Reads the next text or tag; false where that is not plain. */
  #next(): boolean {
    const element = this.#stack.at(-1)
    const next = this.#text.indexOf('<', this.#at)
    if (element === undefined || next < 0) return false
    if (next > this.#at && !this.#addText(element, next)) return false
    if (this.#text.startsWith('</', next)) return this.#close(element)
    const span = this.#takeComment()
    if (span === null) return this.#open(element) !== null
    element.children.push({ kind: 'aside', span })
    this.#parts += 1
    return true
  }

  /** Goes to the end of the comment that begins here; null where there is none, or one with `--` in it. */
  #takeComment(): Span | null {
    const start = this.#at
    if (!this.#text.startsWith(COMMENT, start)) return null
    const end = this.#text.indexOf('--', start + COMMENT.length)
    if (end < 0 || !this.#text.startsWith('-->', end)) return null
    this.#at = end + '-->'.length
    return { start, end: this.#at }
  }

  #addText(element: DraftElement, end: number): boolean {
    const span = { start: this.#at, end }
    const written = this.#text.slice(span.start, end)
    const text = written.includes(']]>') ? null : withoutReferences(written)
    if (text === null) return false
    const lines = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
    element.children.push({ kind: 'text', text: lines, cdata: false, span })
    this.#parts += 1
    this.#at = end
    return true
  }

  #open(parent: DraftElement | null): DraftElement | null {
    const start = this.#at
    const [opening, name] = this.#take(OPENING) ?? []
    if (opening === undefined || name === undefined) return null
    if (this.#stack.length >= this.#limits.maxDepth) return null
    const element = new DraftElement(name, parent, { start, number: this.#elements })
    this.#elements += 1
    if (!this.#readAttributes(element)) return null
    const [end, slash] = this.#take(OPENING_END) ?? []
    if (end === undefined) return null
    element.openTag = element.span = { start, end: this.#at }
    parent?.children.push(element)
    this.#parts += 1
    if (slash === '') this.#stack.push(element)
    if (slash === '' && name === this.#skipped && !this.#skip(element)) return null
    return element
  }

  /** Goes to the end of an element; false where another of its name may be inside. */
  #skip({ name, span }: DraftElement): boolean {
    const end = this.#text.indexOf(`</${name}`, this.#at)
    const isOne = end >= 0 && this.#text.lastIndexOf(`<${name}`, end) === span.start
    if (!isOne) return false
    for (let at = this.#text.indexOf('<', this.#at); at < end; at = this.#text.indexOf('<', at + 1))
      if (this.#text.charCodeAt(at + 1) !== SLASH) this.#elements += 1
    this.#at = end
    return true
  }

  #readAttributes(element: DraftElement): boolean {
    const { maxAttributes, maxAttributeLength } = this.#limits
    for (;;) {
      const [all, written = '', name = '', quoted = ''] = this.#take(ATTRIBUTE) ?? []
      if (all === undefined) return true
      const attribute = attributeBefore(this.#at, { written, name, quoted })
      if (attribute === null || written.length > maxAttributeLength) return false
      if (element.attributes.has(name) || element.attributes.size >= maxAttributes) return false
      element.add(attribute)
      this.#parts += 1
    }
  }

  #close(element: DraftElement): boolean {
    const start = this.#at
    const [, name] = this.#take(CLOSING) ?? []
    if (name !== element.name) return false
    element.closeTag = { start, end: this.#at }
    element.span = { start: element.span.start, end: this.#at }
    element.last = this.#elements - 1
    this.#stack.pop()
    return true
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found !== null) this.#at = pattern.lastIndex
    return found
  }
}

/** Null where its value has more than the five references that XML defines. */
function attributeBefore(
  end: number,
  { written, name, quoted }: { written: string; name: string; quoted: string },
): XmlAttribute | null {
  const value = withoutReferences(quoted.slice(1, -1))
  if (value === null) return null
  const span = { start: end - written.length, end }
  return { name, value, span, valueSpan: { start: end - quoted.length + 1, end: end - 1 } }
}

/** Null where there is another reference than the five that XML defines. */
function withoutReferences(text: string): string | null {
  if (!text.includes('&')) return text
  let isKnown = true
  const plain = text.replaceAll(REFERENCE, (_, name: string | undefined) => {
    isKnown &&= name !== undefined
    return REFERRED.get(name ?? '') ?? ''
  })
  return isKnown ? plain : null
}
