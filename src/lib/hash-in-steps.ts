import type { Hash } from 'node:crypto'

/** Bytes that are hashed in one step, which takes about a millisecond. */
const STEP = 2 ** 20

/** Adds bytes to a hash in steps. Returns it in hexadecimal digits. */
export function* hashInSteps(hash: Hash, bytes: Uint8Array): Generator<void, string> {
  for (let at = 0; at < bytes.length; at += STEP) {
    hash.update(bytes.subarray(at, at + STEP))
    yield
  }
  return hash.digest('hex')
}
