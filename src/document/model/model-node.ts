/** One element as the parser of the model saw it, with its references resolved. */
export class ModelNode {
  readonly name: string
  /** Child-element indexes from the root, by which the element is found in the positioned tree. */
  readonly at: readonly number[]
  /** The text of the element and its CDATA sections, without white space at the ends. */
  readonly text: string
  readonly children: readonly ModelNode[]
  readonly #attributes: ReadonlyMap<string, string>

  constructor(parts: {
    readonly name: string
    readonly at: readonly number[]
    readonly text: string
    readonly children: readonly ModelNode[]
    readonly attributes: ReadonlyMap<string, string>
  }) {
    this.name = parts.name
    this.at = parts.at
    this.text = parts.text
    this.children = parts.children
    this.#attributes = parts.attributes
  }

  /** The same element with other children. */
  withChildren(children: readonly ModelNode[]): ModelNode {
    const { name, at, text } = this
    return new ModelNode({ name, at, text, children, attributes: this.#attributes })
  }

  get attributeNames(): Iterable<string> {
    return this.#attributes.keys()
  }

  attribute(name: string): string | null {
    return this.#attributes.get(name) ?? null
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
}
