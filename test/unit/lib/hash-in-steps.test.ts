import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { runSync } from '../../../src/lib/cooperative.ts'
import { type HashKind, hashInSteps } from '../../../src/lib/hash-in-steps.ts'

const STEP = 2 ** 20
const KINDS: readonly HashKind[] = [
  { algorithm: 'md5' },
  { algorithm: 'sha1', header: 'blob 3\0' },
  { algorithm: 'sha1', header: 'blob 4\0' },
  { algorithm: 'sha256' },
]

function bytesOf(length: number, changedAt: readonly number[] = []): Buffer {
  const bytes = Buffer.alloc(length, 'abc')
  for (const place of changedAt) bytes[place] = 0
  return bytes
}

describe('hashing long bytes, each after those before', () => {
  it.each([
    ['the same again', bytesOf(3 * STEP + 5)],
    ['another end', bytesOf(3 * STEP + 5, [3 * STEP + 4])],
    ['another beginning', bytesOf(3 * STEP + 5, [0])],
    ['another last byte of a step', bytesOf(3 * STEP + 5, [2 * STEP - 1])],
    ['another first byte of a step', bytesOf(3 * STEP + 5, [2 * STEP])],
    ['two places', bytesOf(3 * STEP + 5, [STEP + 1, 2 * STEP + 1])],
    ['whole steps', bytesOf(3 * STEP)],
    ['fewer', bytesOf(2 * STEP - 1)],
    ['less than a step', bytesOf(5)],
    ['more', bytesOf(5 * STEP + 1)],
    ['none', bytesOf(0)],
  ])('has the hash of all of them: %s', (_, bytes) => {
    for (const kind of KINDS) runSync(hashInSteps(kind, bytesOf(3 * STEP + 5)))
    for (const kind of KINDS) {
      const { algorithm, header = '' } = kind
      const whole = createHash(algorithm).update(header, 'latin1').update(bytes).digest('hex')

      expect(runSync(hashInSteps(kind, bytes))).toBe(whole)
      expect(runSync(hashInSteps(kind, bytes))).toBe(whole)
    }
  })
})
