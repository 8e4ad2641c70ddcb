import { elementText } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

const NOTHING: ReadonlySet<XmlElement> = new Set()

/** An element as the model reads it: with its place, its text in one piece, and its children by name. */
export class ModelNode {
  /** The number of the element in the document. */
  readonly at: number
  readonly #element: XmlElement
  readonly #first: number
  readonly #omitted: ReadonlySet<XmlElement>
  #children: readonly ModelNode[] | null = null

  constructor(
    element: XmlElement,
    /** The number in the document of the first element that was read with it. */
    first = 0,
    /** Elements that are left out. */
    omitted: ReadonlySet<XmlElement> = NOTHING,
  ) {
    this.#element = element
    this.at = first + element.number
    this.#first = first
    this.#omitted = omitted
  }

  get name(): string {
    return this.#element.name
  }

  /** The text of the element and its CDATA sections, without white space at the ends. */
  get text(): string {
    return elementText(this.#element).trim()
  }

  get children(): readonly ModelNode[] {
    return (this.#children ??= this.#listChildren())
  }

  get attributeNames(): Iterable<string> {
    return this.#element.attributes.keys()
  }

  attribute(name: string): string | null {
    return this.#element.attributeValue(name)
  }

  child(name: string): ModelNode | null {
    return this.children.find((child) => child.name === name) ?? null
  }

  /** The elements at the end of a path of names. Of each step but the last only the first counts. */
  list(...path: readonly string[]): readonly ModelNode[] {
    const [first, ...rest] = path
    if (first === undefined) return []
    if (rest.length === 0) return this.children.filter((child) => child.name === first)
    return this.child(first)?.list(...rest) ?? []
  }

  /** The text of a child element, or null where there is none. */
  textOf(name: string): string | null {
    return this.child(name)?.text ?? null
  }

  #listChildren(): readonly ModelNode[] {
    const children: ModelNode[] = []
    for (const child of this.#element.children) {
      if (child.kind !== 'element' || this.#omitted.has(child)) continue
      children.push(new ModelNode(child, this.#first, this.#omitted))
    }
    return children
  }
}
