import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { digestInSteps, digestOf } from '../../../src/core/digest.ts'
import { blobNameInSteps } from '../../../src/git/objects/raw-object.ts'
import { SHA1, SHA256 } from '../../../src/git/object-format.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

const MEGABYTE = 2 ** 20

function bytesOf(length: number): Uint8Array {
  return new Uint8Array(length).map((_, n) => n % 251)
}

describe.each([0, 1, MEGABYTE, 3 * MEGABYTE + 5])(
  'the names of %i bytes, found in steps',
  (length) => {
    it('are those of all bytes, and of their length for git', () => {
      const bytes = bytesOf(length)
      const named = Buffer.concat([Buffer.from(`blob ${length}\0`), bytes])

      expect(runSync(digestInSteps(bytes))).toBe(hash('md5', bytes))
      for (const format of [SHA1, SHA256]) {
        expect(runSync(blobNameInSteps(bytes, format))).toBe(hash(format.name, named))
      }
    })

    it('take a step for each megabyte', () => {
      const steps = Math.ceil(length / MEGABYTE)
      const bytes = bytesOf(length)

      expect([...digestInSteps(bytes)]).toHaveLength(steps)
      expect([...blobNameInSteps(bytes, SHA1)]).toHaveLength(steps)
    })
  },
)

it('finds the names of long bytes once', () => {
  const bytes = bytesOf(3 * MEGABYTE)
  const digest = digestOf(bytes)
  const name = runSync(blobNameInSteps(bytes, SHA1))

  expect([...digestInSteps(bytes), ...blobNameInSteps(bytes, SHA1)]).toEqual([])
  expect(digestOf(bytes)).toBe(digest)
  expect(runSync(blobNameInSteps(bytes, SHA1))).toBe(name)
})
