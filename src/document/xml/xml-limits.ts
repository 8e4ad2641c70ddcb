import { getHeapStatistics } from 'node:v8'

/** The limits of the cost of a document. */
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

const MEBIBYTE = 1024 * 1024
/** The memory of JavaScript in this process or thread, in bytes, and what of it is left for documents. */
const HEAP = getHeapStatistics().heap_size_limit
const FOR_DOCUMENTS = Math.max(HEAP - 64 * MEBIBYTE, HEAP / 4)
/**
 * While a document is saved, a tree and a model of it are in memory beside those of the one before. Saving
 * 1.1 MB over 1.1 MB takes about 90 bytes of memory for a byte.
 */
const HEAP_FOR_A_BYTE = 96
const HEAP_FOR_A_PART = 1024
const MAX_BYTES = 32 * MEBIBYTE
const MAX_PARTS = 1_500_000

/** The memory limit of a thread that reads documents, in MiB. */
export const THREAD_MEMORY_MB = Math.min(
  (MAX_BYTES * HEAP_FOR_A_BYTE) / MEBIBYTE + 64,
  Math.floor(HEAP / MEBIBYTE),
)

/** The limits follow the memory there is: a document that would end the process is refused. */
export const XML_LIMITS: XmlLimits = {
  maxBytes: Math.min(MAX_BYTES, Math.floor(FOR_DOCUMENTS / HEAP_FOR_A_BYTE)),
  maxDepth: 200,
  maxParts: Math.min(MAX_PARTS, Math.floor(FOR_DOCUMENTS / HEAP_FOR_A_PART)),
  maxAttributes: 256,
  maxAttributeLength: 1024 * 1024,
}
