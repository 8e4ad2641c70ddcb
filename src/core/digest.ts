import { hash } from 'node:crypto'
import { z } from 'zod'

/** The MD5 of a document's bytes: 32 lower-case hexadecimal characters. */
export const Digest = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .brand<'Digest'>()
export type Digest = z.infer<typeof Digest>

/** Short ones are hashed as quickly as they are found here. */
const SHORT = 4096

const known = new WeakMap<Uint8Array, Digest>()

/** The digest of bytes that nobody changes any more: of a document it is worked out once. */
export function digestOf(document: Uint8Array): Digest {
  const found = known.get(document)
  if (found !== undefined) return found
  const digest = Digest.parse(hash('md5', document))
  if (document.length > SHORT) known.set(document, digest)
  return digest
}
