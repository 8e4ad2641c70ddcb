import { elementText } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

const NOTHING: ReadonlySet<XmlElement> = new Set()

/** An element as the model reads it: with its place, its text in one piece, and its children by name. */
export class ModelNode {
  /** Child-element indexes from the root, by which the element is found in the tree. */
  readonly at: readonly number[]
  readonly #element: XmlElement
  readonly #omitted: ReadonlySet<XmlElement>
  #children: readonly ModelNode[] | null = null

  constructor(
    element: XmlElement,
    at: readonly number[] = [],
    /** Elements that count in the places of others, and are not there otherwise. */
    omitted: ReadonlySet<XmlElement> = NOTHING,
  ) {
    this.#element = element
    this.at = at
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

  /** Every part of a model keeps its place, and an array that is spread has room for three times as many numbers. */
  #listChildren(): readonly ModelNode[] {
    const children: ModelNode[] = []
    let index = 0
    for (const child of this.#element.children) {
      if (child.kind !== 'element') continue
      const at = this.at.concat(index)
      index += 1
      if (!this.#omitted.has(child)) children.push(new ModelNode(child, at, this.#omitted))
    }
    return children
  }
}
