import type { Digest } from '../../core/digest.ts'
import { parseDigest } from '../../http/parameters.ts'

/** The digest of an `If-Match` header; `*` stands for whatever is current. */
export function parseIfMatch(header: string): Digest | null {
  if (header.trim() === '*') return null
  return parseDigest(header.trim().replace(/^(?:W\/)?"(.*)"$/, '$1'))
}
