/** A half-open range of UTF-16 offsets in the decoded text of a document. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** One attribute as written. `value` has its references resolved; `valueSpan` lies between the quotes. */
export interface XmlAttribute {
  readonly name: string
  readonly value: string
  readonly span: Span
  readonly valueSpan: Span
}

/** Character data of one run, references resolved, line endings normalised to line feeds. */
export interface XmlText {
  readonly kind: 'text'
  readonly text: string
  readonly cdata: boolean
  readonly span: Span
}

/** A comment or processing instruction: kept in the text, ignored by the model. */
export interface XmlAside {
  readonly kind: 'aside'
  readonly span: Span
}

/** One element with its exact place in the text, so that it can be edited without touching anything else. */
export interface XmlElement {
  readonly kind: 'element'
  readonly name: string
  readonly attributes: ReadonlyMap<string, XmlAttribute>
  readonly children: readonly XmlNode[]
  readonly parent: XmlElement | null
  /** Its number, and that of the last element in it: those of one document have each another, and the elements in one follow it. */
  readonly number: number
  readonly last: number
  /** From the `<` of the opening tag to the `>` of the closing tag. */
  readonly span: Span
  /** The opening tag, `<a …>` or `<a … />`. */
  readonly openTag: Span
  /** The closing tag, or null for an empty-element tag. */
  readonly closeTag: Span | null
  /** The value of an attribute, or null where it is absent; its place is not worked out for that. */
  attributeValue(name: string): string | null
  /**
   * The child elements that a test accepts, where `children` would work out the place of each; the test may not ask
   * for one. It accepts only those with a name that is given, so that one of thousands need not be searched for.
   */
  findChildren?(isWanted: (child: XmlElement) => boolean, named?: NamedChild): XmlElement[]
  /** The element below that was read on its own, where that has the number. */
  findPart?(number: number): XmlElement | null
}

/** How an element is called, and the name that it has, in lower case. */
export interface NamedChild {
  readonly element: string
  readonly key: string
}

export type XmlNode = XmlElement | XmlText | XmlAside
