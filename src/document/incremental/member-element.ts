import { readTree, type XmlTree } from '../xml/xml-reader.ts'
import { XML_LIMITS, type XmlLimits } from '../xml/xml-limits.ts'
import { type LineFeeds, lineFeedsIn } from '../text/line-feeds.ts'
import { readWithoutJobs } from '../xml/plain-tree.ts'
import type { ElementNumbers } from './element-numbers.ts'
import type { Span, XmlAttribute, XmlElement, XmlNode } from '../xml/xml-tree.ts'

/** A member is in a list, and the list in the root. */
const LIMITS: XmlLimits = { ...XML_LIMITS, maxDepth: XML_LIMITS.maxDepth - 2 }

/**
 * The element of a member that was read separately. Its children are let go once the member is
 * checked, and parsed again on demand: few are ever used, and a tree is larger than its text.
 */
export class MemberElement implements XmlElement {
  readonly kind = 'element'
  readonly name: string
  readonly parent = null
  readonly number = 0
  readonly last: number
  /** The number in documents of the first element in it, which it is itself. */
  readonly first: number
  readonly attributes: ReadonlyMap<string, XmlAttribute>
  readonly span: Span
  readonly openTag: Span
  readonly closeTag: Span | null
  /** Elements, attributes, texts and comments in it. */
  readonly parts: number
  /** Its exact text, which is no part of a longer one in memory. */
  readonly text: string
  #children: readonly XmlNode[] | null
  #lineFeeds: LineFeeds | null = null

  private constructor(text: string, { root, parts }: XmlTree, numbers: ElementNumbers) {
    this.name = root.name
    this.last = root.last
    this.first = numbers.take(root.last + 1)
    this.attributes = root.attributes
    this.span = root.span
    this.openTag = root.openTag
    this.closeTag = root.closeTag
    this.parts = parts
    this.text = text
    this.#children = root.children
  }

  /** Null where the text is not exactly one element that is well-formed. */
  static read(text: string, numbers: ElementNumbers): MemberElement | null {
    const tree = readTree(text, LIMITS)
    if (!tree || tree.root.span.end !== text.length || !text.startsWith('<')) return null
    return new MemberElement(text, tree, numbers)
  }

  /** The element of a text that is known to be one, by a tree that lacks some of its insides. */
  static readHead(text: string, parts: number, numbers: ElementNumbers): MemberElement | null {
    const root = readWithoutJobs(text, LIMITS)
    return root && new MemberElement(text, { root, parts }, numbers)
  }

  get children(): readonly XmlNode[] {
    if (this.#children !== null) return this.#children
    const tree = readTree(this.text, LIMITS)
    if (!tree) throw new Error('a member that was well-formed is not')
    return tree.root.children
  }

  /** Counted once for all documents that have the member. */
  get lineFeeds(): LineFeeds {
    return (this.#lineFeeds ??= lineFeedsIn(this.text))
  }

  /** Whether an element in it has that number in documents. */
  has(number: number): boolean {
    return number >= this.first && number <= this.first + this.last
  }

  attributeValue(name: string): string | null {
    return this.attributes.get(name)?.value ?? null
  }

  /** Lets the children go: from here on they are parsed whenever they are asked for. */
  forgetChildren(): void {
    this.#children = null
  }
}
