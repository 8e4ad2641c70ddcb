import { createHash } from 'node:crypto'

/** Bytes that are hashed in one step, which takes about a millisecond. */
const STEP = 2 ** 20

/** The algorithm of a hash, and the text in front of the bytes, such as that of a git object. */
export interface HashKind {
  readonly algorithm: 'md5' | 'sha1' | 'sha256'
  readonly header?: string
}

/** The hashes of bytes by their kind: a save asks several times, and hashing a large document takes long. */
const hashes = new WeakMap<Uint8Array, Map<string, string>>()

/** Hashes bytes in steps, once; they must not change. The result is in hexadecimal digits. */
export function* hashInSteps(
  { algorithm, header = '' }: HashKind,
  bytes: Uint8Array,
): Generator<void, string> {
  const kind = `${algorithm} ${header}`
  const known = hashes.get(bytes)?.get(kind)
  if (known !== undefined) return known
  const hash = createHash(algorithm).update(header, 'latin1')
  for (let at = 0; at < bytes.length; at += STEP) {
    hash.update(bytes.subarray(at, at + STEP))
    yield
  }
  const digits = hash.digest('hex')
  hashes.set(bytes, (hashes.get(bytes) ?? new Map<string, string>()).set(kind, digits))
  return digits
}
