import { z } from 'zod'
import { runSync } from '../lib/cooperative.ts'
import { hashInSteps } from '../lib/hash-in-steps.ts'
import { SAMPLE_NAMES } from './sample-names.ts'

const MD5 = /^[0-9a-f]{32}$/

/** The MD5 of a document's bytes: 32 lower-case hexadecimal characters. */
export const Digest = z.string().regex(MD5).brand<'Digest'>().meta({ example: SAMPLE_NAMES.digest })
export type Digest = z.infer<typeof Digest>

/** The same check without zod, for data that exists for every revision. */
export function isDigest(text: string): text is Digest {
  return MD5.test(text)
}

/** Hashing shorter documents is as fast as a cache look-up. */
const SHORT = 4096

const digests = new WeakMap<Uint8Array, Digest>()

/** The digest of immutable bytes, computed once for each long document. */
export function digestOf(document: Uint8Array): Digest {
  return runSync(digestInSteps(document))
}

/** The same in steps: a long document would hold others up. */
export function* digestInSteps(document: Uint8Array): Generator<void, Digest> {
  const found = digests.get(document)
  if (found !== undefined) return found
  const digest = Digest.parse(yield* hashInSteps({ algorithm: 'md5' }, document))
  if (document.length > SHORT) digests.set(document, digest)
  return digest
}
