import { shorten } from '../text/shown-text.ts'
import { type Fault, type FaultContext, fatal, faultOf, tokenStart } from './xml-faults.ts'
import type { XmlLimits } from './xml-limits.ts'
import type { Span, XmlAttribute, XmlElement, XmlNode } from './xml-tree.ts'

const MAX_FAULTS = 50
const UTF8_NAMES = /^(utf-?8|us-ascii|ascii)$/i
const BYTE_ORDER_MARK = '\uFEFF'

/** Ends the parse: nothing after this can be understood, or enough has been said. */
class Halt extends Error {}

const NO_ATTRIBUTES: ReadonlyMap<string, XmlAttribute> = new Map()

interface DraftPlace {
  readonly start: number
  readonly number: number
}

/** An element that is being read. */
export class DraftElement implements XmlElement {
  readonly kind = 'element'
  readonly name: string
  readonly parent: XmlElement | null
  readonly number: number
  last: number
  attributes = NO_ATTRIBUTES
  readonly children: XmlNode[] = []
  span: Span
  openTag: Span
  closeTag: Span | null = null
  #own: Map<string, XmlAttribute> | null = null

  constructor(name: string, parent: XmlElement | null, { start, number }: DraftPlace) {
    this.name = name
    this.parent = parent
    this.number = this.last = number
    this.span = this.openTag = { start, end: start }
  }

  /** A map is made only where it is needed: most elements have no attributes. */
  add(attribute: XmlAttribute): void {
    this.#own ??= new Map()
    this.attributes = this.#own.set(attribute.name, attribute)
  }

  attributeValue(name: string): string | null {
    return this.attributes.get(name)?.value ?? null
  }
}

/**
 * Builds the tree from the events of the parser. Each token begins at the first
 * character after the token before it, so the end of the last one is enough to
 * know the exact span of the next.
 */
export class XmlTreeBuilder {
  readonly faults: Fault[] = []
  readonly #text: string
  readonly #limits: XmlLimits
  readonly #stack: DraftElement[] = []
  #root: DraftElement | null = null
  /** The element whose opening tag is being read. */
  #tag: DraftElement | null = null
  #closed: DraftElement | null = null
  #parts = 0
  /** Elements so far. */
  #elements = 0
  #cursor: number

  constructor(text: string, limits: XmlLimits) {
    this.#text = text
    this.#limits = limits
    this.#cursor = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0
  }

  get root(): XmlElement | null {
    return this.#root
  }

  /** Elements, attributes, texts and comments so far. */
  get parts(): number {
    return this.#parts
  }

  /** Parses the next piece; false when the parse has ended. */
  watch(run: () => void): boolean {
    try {
      run()
      return true
    } catch (error) {
      if (!(error instanceof Halt)) throw error
      return false
    }
  }

  declaration(declared: { version?: string; encoding?: string }, end: number): void {
    const { version = '1.0', encoding = 'utf-8' } = declared
    if (version !== '1.0')
      this.#failAt(version, `XML ${shorten(version)} is not accepted; only 1.0 is`)
    if (!UTF8_NAMES.test(encoding)) {
      this.#failAt(encoding, `the encoding "${shorten(encoding)}" is not accepted; only UTF-8 is`)
    }
    this.#cursor = end
  }

  doctype(): void {
    this.#fail(fatal('a DOCTYPE is not accepted', this.#start()))
  }

  aside(end: number): void {
    this.#add({ kind: 'aside', span: this.#span(end) }, end)
  }

  /** The parser reports a comment at its `--`, before it knows whether a `>` follows. */
  comment(end: number): void {
    if (this.#text.startsWith('>', end - 1)) this.aside(end)
  }

  /** A text ends at the `<` of the next token, or with the document, where the parser's position may lie beyond it. */
  text(text: string, next: number): void {
    const start = this.#cursor
    const end = Math.min(next, this.#text.length)
    if (this.#stack.length === 0 && this.#start() < end) {
      this.#fail(fatal('there is text outside of the root element', this.#start()))
    }
    this.#add({ kind: 'text', text, cdata: false, span: { start, end } }, end)
  }

  cdata(text: string, end: number): void {
    this.#add({ kind: 'text', text, cdata: true, span: this.#span(end) }, end)
  }

  beginTag(name: string): void {
    const start = this.#start()
    if (this.#stack.length >= this.#limits.maxDepth) {
      this.#fail(fatal(`elements are nested deeper than ${this.#limits.maxDepth}`, start))
    }
    if (this.#root && this.#stack.length === 0) {
      this.#fail(fatal('the document has a second root element', start))
    }
    this.#tag = new DraftElement(name, this.#stack.at(-1) ?? null, {
      start,
      number: this.#elements,
    })
    this.#elements += 1
    this.#cursor = start + '<'.length + name.length
  }

  attribute(name: string, value: string, end: number): void {
    const start = this.#start()
    const tag = this.#tag
    if (!tag) return
    this.#count()
    this.#checkAttribute(tag, name, { start, end })
    const quote = this.#text.indexOf(this.#text.charAt(end - 1), start + name.length)
    const valueSpan = { start: quote + 1, end: end - 1 }
    tag.add({ name, value, span: { start, end }, valueSpan })
    this.#cursor = end
  }

  open(end: number): void {
    const tag = this.#tag
    if (!tag) return
    tag.openTag = { start: tag.span.start, end }
    this.#add(tag, end)
    this.#root ??= tag
    this.#stack.push(tag)
    this.#tag = null
  }

  close(selfClosing: boolean, end: number): void {
    const element = this.#stack.pop()
    if (!element) return
    element.closeTag = selfClosing ? null : this.#span(end)
    element.span = { start: element.span.start, end }
    element.last = this.#elements - 1
    this.#closed = element
    this.#cursor = end
  }

  /** Handles a fault of the parser, and continues only where the rest can still be understood. */
  fault(reported: string, position: number): void {
    if (reported.startsWith('duplicate attribute: ')) return
    if (reported === 'unexpected close tag.' && this.#closed) this.#failClosing(this.#closed)
    this.#fail(faultOf(reported, this.#context(position)))
  }

  #add(node: XmlNode, end: number): void {
    this.#count()
    this.#stack.at(-1)?.children.push(node)
    this.#cursor = end
  }

  #count(): void {
    this.#parts += 1
    const { maxParts } = this.#limits
    if (this.#parts <= maxParts) return
    const message = `the document has more than ${maxParts} elements, attributes and texts`
    this.#fail(fatal(message, this.#start()))
  }

  #start(): number {
    return tokenStart({ text: this.#text, cursor: this.#cursor })
  }

  #span(end: number): Span {
    return { start: this.#start(), end }
  }

  #context(position: number): FaultContext {
    const element = this.#tag ?? this.#stack.at(-1)
    const open = element
      ? { name: element.name, start: element.span.start, inTag: this.#tag !== null }
      : null
    return { text: this.#text, cursor: this.#cursor, position, open }
  }

  #checkAttribute(tag: DraftElement, name: string, { start, end }: Span): void {
    const { maxAttributes, maxAttributeLength } = this.#limits
    if (tag.attributes.has(name)) {
      const message = `the attribute "${shorten(name)}" appears twice`
      this.#fail({ message, offset: start, local: true })
    }
    if (tag.attributes.size >= maxAttributes) {
      this.#fail(fatal(`an element has more than ${maxAttributes} attributes`, start))
    }
    if (end - start > maxAttributeLength) {
      this.#fail(fatal(`an attribute is longer than ${maxAttributeLength} characters`, start))
    }
  }

  /** The parser closes an element before it reports that the closing tag has another name. */
  #failClosing({ name, span, closeTag }: DraftElement): void {
    const tag = this.#text.slice(closeTag?.start, closeTag?.end)
    const closing = shorten(tag.replace(/^<\/|[ \t\r\n]*>$/g, ''))
    const line = this.#text.slice(0, span.start).split('\n').length
    const message = `<${shorten(name)}> of line ${line} must be closed before </${closing}>`
    this.#fail(fatal(message, closeTag?.start ?? span.start))
  }

  #failAt(found: string, message: string): void {
    this.#fail(fatal(message, this.#text.indexOf(found, this.#cursor)))
  }

  #fail(fault: Fault): void {
    this.faults.push(fault)
    if (!fault.local || this.faults.length >= MAX_FAULTS) throw new Halt()
  }
}
