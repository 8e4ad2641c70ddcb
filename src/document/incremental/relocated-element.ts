import type { Span, XmlAttribute, XmlElement, XmlNode } from '../xml/xml-tree.ts'

/** Says where in a document the nodes of a tree stand that was read on its own. */
export interface Placement {
  offsetOf(offset: number): number
  /** An element below one that is placed. */
  place(element: XmlElement, parent: XmlElement): XmlElement
}

/** A placement of a tree all of which is moved by the same distance. */
export class OffsetPlacement implements Placement {
  readonly #distance: number

  constructor(distance: number) {
    this.#distance = distance
  }

  offsetOf(offset: number): number {
    return offset + this.#distance
  }

  place(element: XmlElement, parent: XmlElement): XmlElement {
    return new RelocatedElement(element, parent, this)
  }
}

/**
 * An element of a document whose tree was read elsewhere: the same, with its places in this
 * document. What is below it is placed when somebody looks.
 */
export class RelocatedElement implements XmlElement {
  readonly kind = 'element'
  readonly name: string
  readonly parent: XmlElement | null
  readonly #source: XmlElement
  readonly #placement: Placement
  #attributes: ReadonlyMap<string, XmlAttribute> | null = null
  #children: readonly XmlNode[] | null = null
  #whole: Span | null = null

  constructor(source: XmlElement, parent: XmlElement | null, placement: Placement) {
    this.name = source.name
    this.parent = parent
    this.#source = source
    this.#placement = placement
  }

  /** Whether both were read as one: the same elements, or the same around the members of long lists. */
  static isSame(one: XmlElement, other: XmlElement): boolean {
    if (!(one instanceof RelocatedElement) || !(other instanceof RelocatedElement)) return false
    return one.#source === other.#source
  }

  get attributes(): ReadonlyMap<string, XmlAttribute> {
    return (this.#attributes ??= new Map(
      Array.from(this.#source.attributes, ([name, attribute]) => [name, this.#moved(attribute)]),
    ))
  }

  get children(): readonly XmlNode[] {
    return (this.#children ??= this.#source.children.map((child) =>
      child.kind === 'element'
        ? this.#placement.place(child, this)
        : { ...child, span: this.#span(child.span) },
    ))
  }

  get span(): Span {
    return (this.#whole ??= this.#span(this.#source.span))
  }

  get openTag(): Span {
    return this.#span(this.#source.openTag)
  }

  get closeTag(): Span | null {
    const { closeTag } = this.#source
    return closeTag && this.#span(closeTag)
  }

  #moved({ name, value, span, valueSpan }: XmlAttribute): XmlAttribute {
    return { name, value, span: this.#span(span), valueSpan: this.#span(valueSpan) }
  }

  #span({ start, end }: Span): Span {
    return { start: this.#placement.offsetOf(start), end: this.#placement.offsetOf(end) }
  }
}
