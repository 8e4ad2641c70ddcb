/** What a document may cost at most. */
export interface XmlLimits {
  readonly maxBytes: number
  readonly maxDepth: number
  /** Elements, attributes, texts and comments together: what the tree costs in memory. */
  readonly maxParts: number
  /** Attributes of one element. */
  readonly maxAttributes: number
  /** Characters of one attribute as written. */
  readonly maxAttributeLength: number
}

export const XML_LIMITS: XmlLimits = {
  maxBytes: 32 * 1024 * 1024,
  maxDepth: 200,
  maxParts: 1_500_000,
  maxAttributes: 256,
  maxAttributeLength: 1024 * 1024,
}
