import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { commonSuffix, commonPrefix } from '../../../src/document/text/common-ends.ts'

/** Texts around the length that is compared at once, which repeat themselves. */
const texts = fc.record({
  unit: fc.constantFrom('a', 'ab', 'é😀'),
  times: fc.constantFrom(0, 1, 3, 2_047, 2_048, 4_096, 9_000),
  at: fc.nat(20_000),
  inserted: fc.constantFrom('', 'a', 'x', 'ab'),
})

it('two texts share a start and an end, as long as can be, that never overlap', () => {
  fc.assert(
    fc.property(texts, ({ unit, times, at, inserted }) => {
      const one = unit.repeat(times)
      const other = one.slice(0, at) + inserted + one.slice(at)

      for (const [first, second] of [
        [one, other],
        [other, one],
      ] as const) {
        const start = commonPrefix(first, second)
        const end = commonSuffix(first, second, start)
        const shorter = Math.min(first.length, second.length)

        expect(first.slice(0, start) === second.slice(0, start)).toBe(true)
        expect(start === shorter || first[start] !== second[start]).toBe(true)
        expect(start + end).toBe(one.length)
        expect(first.slice(first.length - end)).toBe(second.slice(second.length - end))
      }
    }),
  )
})
