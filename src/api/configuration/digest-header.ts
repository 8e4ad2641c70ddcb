import type { Context } from 'hono'
import type { ConfigRestoringDeps } from '../../configuration/save/config-restoring.ts'
import type { Digest } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import type { ClientNames } from '../../wire/revision-bodies.ts'
import { plainTag } from '../../http/cached-response.ts'
import { malformed, parseDigest } from '../../http/parameters.ts'

export const DIGEST_HEADER = 'x-service-config-md5'

/** The headers that carry a digest: the neutral one, and the original's beside it when asked for. */
export function digestHeaders(digest: Digest, names: ClientNames): Record<string, string> {
  const neutral = { [DIGEST_HEADER]: digest }
  return names === 'gocd' ? { ...neutral, 'x-cruise-config-md5': digest } : neutral
}

/** The header, as it is described. */
export const DIGEST_DESCRIBED = { 'X-SERVICE-CONFIG-MD5': 'The digest of the document' }

/**
 * The digest of an `If-Match` header, which may have weak forms and the suffixes of proxies. Of a list, the digest
 * that is current counts, or else the first that ever was. Null for `*`, which stands for whatever is current.
 *
 * @throws {ServiceError} `malformed-request`.
 */
export async function parseIfMatch(
  header: string,
  history: ConfigRestoringDeps['history'],
): Promise<Digest | null> {
  if (header.trim() === '*') return null
  const [first, ...others] = header.split(',').map((tag) => parseDigest(bareTag(tag), 'If-Match'))
  if (first === undefined || others.length === 0) return first ?? null
  const digests = [first, ...others]
  const { digest: current } = history.current()
  if (digests.includes(current)) return current
  const known = await Promise.all(digests.map((digest) => history.findEver(digest)))
  return known.find((revision) => revision !== null)?.digest ?? first
}

/**
 * The state that the edit of one thing begins from, by its conditional headers: one of some tags, any, or that
 * there is none. The noun names the thing in refusals.
 *
 * @throws {ServiceError} `base-missing` without either header, `malformed-request`.
 */
export function editBaseOf(c: Context, noun: string): readonly string[] | 'any' | 'none' {
  const match = c.req.header('if-match')?.trim() ?? ''
  const none = c.req.header('if-none-match')?.trim() ?? ''
  if (match !== '' && none !== '') {
    throw malformed('If-Match and If-None-Match exclude each other', 'If-None-Match')
  }
  if (none === '*') return 'none'
  if (none !== '') throw malformed('If-None-Match may only be *', 'If-None-Match')
  if (match === '*') return 'any'
  if (match !== '') return match.split(',').map(bareTag)
  const message = `The header If-Match with the digest of the ${noun} is needed, or If-None-Match: * for a new one`
  throw new ServiceError('base-missing', message, { header: 'If-Match' })
}

function bareTag(tag: string): string {
  return plainTag(tag).replace(/^"(.*)"$/, '$1')
}
