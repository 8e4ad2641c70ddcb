import { createHash, type Hash } from 'node:crypto'

/** Bytes that are hashed in one step, which takes about a millisecond. */
const STEP = 2 ** 20

/** The algorithm of a hash, and the text in front of the bytes, such as that of a git object. */
export interface HashKind {
  readonly algorithm: 'md5' | 'sha1' | 'sha256'
  readonly header?: string
}

/** Bytes that were hashed, with the state of the hash at the end of each step. */
interface Hashed {
  readonly header: string
  readonly bytes: WeakRef<Uint8Array>
  readonly states: readonly Hash[]
}

/** The latest long bytes of each algorithm: a large document is mostly followed by one that differs in little. */
const latest = new Map<HashKind['algorithm'], Hashed>()

/**
 * Hashes bytes in steps; they must not change. The result is in hexadecimal digits. Of bytes that begin as the latest ones of the
 * same kind do, only the rest is hashed.
 */
export function* hashInSteps(
  { algorithm, header = '' }: HashKind,
  bytes: Uint8Array,
): Generator<void, string> {
  const states: Hash[] = []
  for (const state of statesOf(algorithm, header, bytes)) {
    states.push(state)
    yield
  }
  const hash = states.at(-1)?.copy() ?? createHash(algorithm).update(header, 'latin1')
  for (let at = states.length * STEP; at < bytes.length; at += STEP) {
    hash.update(bytes.subarray(at, at + STEP))
    if (at + STEP <= bytes.length) states.push(hash.copy())
    yield
  }
  if (states.length > 0) latest.set(algorithm, { header, bytes: new WeakRef(bytes), states })
  return hash.digest('hex')
}

/** The states after the steps in which the bytes are those of the latest. */
function* statesOf(
  algorithm: HashKind['algorithm'],
  header: string,
  bytes: Uint8Array,
): Generator<Hash> {
  const known = latest.get(algorithm)
  const before = known?.header === header ? known.bytes.deref() : undefined
  if (known === undefined || before === undefined) return
  for (const [step, state] of known.states.entries()) {
    const [start, end] = [step * STEP, (step + 1) * STEP]
    if (end > bytes.length) return
    if (Buffer.compare(before.subarray(start, end), bytes.subarray(start, end)) !== 0) return
    yield state
  }
}
