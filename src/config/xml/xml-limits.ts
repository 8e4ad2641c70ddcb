/** What a document may cost at most. */
export interface XmlLimits {
  readonly maxBytes: number
  readonly maxDepth: number
  /** Attributes of one element. */
  readonly maxAttributes: number
  /** Characters of one attribute as written. */
  readonly maxAttributeLength: number
}

export const XML_LIMITS: XmlLimits = {
  maxBytes: 32 * 1024 * 1024,
  maxDepth: 200,
  maxAttributes: 256,
  maxAttributeLength: 1024 * 1024,
}
