import { hash } from 'node:crypto'
import { z } from 'zod'

/** The MD5 of a document's bytes: 32 lower-case hexadecimal characters. */
export const Digest = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .brand<'Digest'>()
export type Digest = z.infer<typeof Digest>

export function digestOf(document: Uint8Array): Digest {
  return Digest.parse(hash('md5', document))
}
