import type { Span, XmlAttribute, XmlElement, XmlNode } from '../xml/xml-tree.ts'

/** Maps the nodes of a separately read tree to their places in a document. */
export interface Placement {
  offsetOf(offset: number): number
  /** An element below one that is placed. */
  place(element: XmlElement, parent: XmlElement): XmlElement
}

/** Moves a whole tree by one distance. */
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
 * An element whose tree was read separately, with its places in this document. Its children are
 * placed on demand.
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

  attributeValue(name: string): string | null {
    return this.#source.attributeValue(name)
  }

  #moved({ name, value, span, valueSpan }: XmlAttribute): XmlAttribute {
    return { name, value, span: this.#span(span), valueSpan: this.#span(valueSpan) }
  }

  #span({ start, end }: Span): Span {
    return { start: this.#placement.offsetOf(start), end: this.#placement.offsetOf(end) }
  }
}
