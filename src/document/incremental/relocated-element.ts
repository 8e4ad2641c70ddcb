import { childElements } from '../xml/xml-elements.ts'
import { MemberElement } from './member-element.ts'
import type { NamedChild, Span, XmlAttribute, XmlElement, XmlNode } from '../xml/xml-tree.ts'

/** Maps the nodes of a separately read tree to their places in a document. */
export interface Placement {
  /** The number in the document of the first element of the tree. */
  readonly first: number
  offsetOf(offset: number): number
  /** The element that stands where the tree has this one. */
  sourceOf(element: XmlElement): XmlElement
  /** An element below one that is placed. */
  place(element: XmlElement, parent: XmlElement): XmlElement
  /** The one child of a list that may have a name, null for none; undefined where it has to be searched for. */
  findNamed?(list: XmlElement, named: NamedChild): XmlElement | null | undefined
  /** The element of the tree that stands for the one with that number in the document, or for one around it. */
  holding?(number: number): XmlElement | null
  /** The children of a list that stand for another member in another document; null where each has to be looked at. */
  differing?(list: XmlElement, other: Placement): readonly XmlElement[] | null
}

/** Moves a whole tree by one distance. */
export class OffsetPlacement implements Placement {
  readonly first: number
  readonly #distance: number
  /** The uppermost nodes of the tree, which are there as long as somebody has any of its elements. */
  top: readonly XmlNode[] = []

  constructor(distance: number, first: number) {
    this.#distance = distance
    this.first = first
  }

  /** The placement of the same tree once it is made again. */
  again(): OffsetPlacement {
    return new OffsetPlacement(this.#distance, this.first)
  }

  offsetOf(offset: number): number {
    return offset + this.#distance
  }

  sourceOf(element: XmlElement): XmlElement {
    return element
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
  /** The children of a member, which are let go with their tree when nobody has any of it. */
  #memberChildren: WeakRef<readonly XmlNode[]> | null = null
  /** Children that were placed one by one. */
  #placed: Map<XmlElement, XmlElement> | null = null
  #whole: Span | null = null

  constructor(source: XmlElement, parent: XmlElement | null, placement: Placement) {
    this.name = source.name
    this.parent = parent
    this.#source = source
    this.#placement = placement
  }

  /**
   * A copy of a member for a look that soon ends; other elements as they are. What is read inside the copy is let go
   * with it. What is read inside the member itself is let go in a full collection, since the member is old, and
   * until then is copied among all that stays.
   */
  static copyOf(element: XmlElement): XmlElement {
    if (!(element instanceof RelocatedElement)) return element
    if (!(element.#source instanceof MemberElement)) return element
    return new RelocatedElement(element.#source, element.parent, element.#placement)
  }

  /** Whether both were read as one: the same elements, or the same around the members of long lists. */
  static isSame(one: XmlElement, other: XmlElement): boolean {
    if (!(one instanceof RelocatedElement) || !(other instanceof RelocatedElement)) return false
    return one.#source === other.#source
  }

  /** The children that were not read as one, where their parents were. */
  static *differing(
    one: XmlElement,
    other: XmlElement,
  ): Generator<readonly [XmlElement, XmlElement]> {
    if (!(one instanceof RelocatedElement) || !(other instanceof RelocatedElement)) return
    const members = one.#placement.differing?.(one.#source, other.#placement) ?? null
    for (const child of members ?? [])
      yield [one.#childAt(null, child), other.#childAt(null, child)]
    if (members) return
    for (const [n, child] of one.#source.children.entries()) {
      if (child.kind !== 'element') continue
      if (one.#placement.sourceOf(child) === other.#placement.sourceOf(child)) continue
      yield [one.#childAt(n, child), other.#childAt(n, child)]
    }
  }

  get number(): number {
    return this.#placement.first + this.#source.number
  }

  get last(): number {
    return this.#placement.first + this.#source.last
  }

  get attributes(): ReadonlyMap<string, XmlAttribute> {
    return (this.#attributes ??= new Map(
      Array.from(this.#source.attributes, ([name, attribute]) => [name, this.#moved(attribute)]),
    ))
  }

  get children(): readonly XmlNode[] {
    const known = this.#children ?? this.#memberChildren?.deref()
    if (known) return known
    if (this.#source instanceof MemberElement && this.#placement instanceof OffsetPlacement) {
      const placement = this.#placement.again()
      placement.top = this.#childrenBy(placement)
      this.#memberChildren = new WeakRef(placement.top)
      return placement.top
    }
    this.#children = this.#childrenBy(this.#placement)
    this.#placed = null
    return this.#children
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

  findPart(number: number): XmlElement | null {
    const standing = this.#placement.holding?.(number) ?? null
    const list = standing?.parent && this.#childAt(null, standing.parent)
    return standing && list instanceof RelocatedElement ? list.#childAt(null, standing) : null
  }

  findChildren(isWanted: (child: XmlElement) => boolean, named?: NamedChild): XmlElement[] {
    // A member parses its children each time, so that they are others each time.
    if (this.#placement instanceof OffsetPlacement) return childElements(this).filter(isWanted)
    const one = named && this.#placement.findNamed?.(this.#source, named)
    if (one === null) return []
    if (one) return isWanted(this.#placement.sourceOf(one)) ? [this.#childAt(null, one)] : []
    const found: XmlElement[] = []
    let n = -1
    for (const child of this.#source.children) {
      n += 1
      if (child.kind !== 'element' || !isWanted(this.#placement.sourceOf(child))) continue
      found.push(this.#childAt(n, child))
    }
    return found
  }

  /** Places a child once, so that it is the same wherever it is asked for. */
  #childAt(n: number | null, child: XmlElement): XmlElement {
    const known =
      this.#children?.[n ?? this.#source.children.indexOf(child)] ?? this.#placed?.get(child)
    if (known?.kind === 'element') return known
    const placed = this.#placement.place(child, this)
    this.#placed ??= new Map()
    this.#placed.set(child, placed)
    return placed
  }

  #childrenBy(placement: Placement): readonly XmlNode[] {
    return this.#source.children.map((child) =>
      child.kind === 'element'
        ? (this.#placed?.get(child) ?? placement.place(child, this))
        : { ...child, span: this.#span(child.span) },
    )
  }

  #moved({ name, value, span, valueSpan }: XmlAttribute): XmlAttribute {
    return { name, value, span: this.#span(span), valueSpan: this.#span(valueSpan) }
  }

  #span({ start, end }: Span): Span {
    return { start: this.#placement.offsetOf(start), end: this.#placement.offsetOf(end) }
  }
}
