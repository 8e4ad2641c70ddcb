import { createHash, type Hash } from 'node:crypto'

/** Bytes that are hashed in one step, which takes about a millisecond. */
const STEP = 2 ** 20

/** What is hashed in front of the bytes, and how. */
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

/** Of each algorithm, the latest bytes that took more than a step: a large document is followed by one much like it. */
const latest = new Map<HashKind['algorithm'], Hashed>()

/**
 * The hash of bytes, which must not change, in hexadecimal digits, in steps. It goes on from where the bytes differ from the latest
 * that were hashed in the same way.
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

/** The states that are known already: those of the steps with which the latest bytes begin as well. */
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
