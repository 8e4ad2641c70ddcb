import type { Digest } from '../../core/digest.ts'
import type { ClientNames } from '../../wire/revision-entry.ts'
import { parseDigest } from '../../http/parameters.ts'

export const DIGEST_HEADER = 'x-service-config-md5'

/** The headers that carry a digest: the neutral one, and the original's beside it when asked for. */
export function digestHeaders(digest: Digest, names: ClientNames): Record<string, string> {
  const neutral = { [DIGEST_HEADER]: digest }
  return names === 'gocd' ? { ...neutral, 'x-cruise-config-md5': digest } : neutral
}

/** What the description says of the header. */
export const DIGEST_DESCRIBED = { 'X-SERVICE-CONFIG-MD5': 'The digest of the document' }

/** The digest of an `If-Match` header; `*` stands for whatever is current. */
export function parseIfMatch(header: string): Digest | null {
  if (header.trim() === '*') return null
  return parseDigest(header.trim().replace(/^(?:W\/)?"(.*)"$/, '$1'))
}
