import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alignEqual } from '../../../../src/document/compare/align.ts'

const letters = (maxLength: number) => fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength })

describe('the alignment of two lists', () => {
  it('pairs equal items and keeps their order', () => {
    fc.assert(
      fc.property(letters(12), letters(12), (before, after) => {
        const pairs = alignEqual(before, after)

        for (const [at, to] of pairs) expect(before[at]).toBe(after[to])
        for (const [place, [at, to]] of pairs.entries()) {
          const [lastAt, lastTo] = pairs[place - 1] ?? [-1, -1]
          expect(at > lastAt && to > lastTo).toBe(true)
        }
      }),
    )
  })

  it('leaves out as little as one insertion and one removal need', () => {
    expect(alignEqual(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e'])).toEqual([
      [0, 0],
      [2, 2],
      [3, 3],
    ])
  })

  it('takes long lists in a time that does not grow with the product of their lengths', () => {
    const before = Array.from({ length: 20_000 }, (_, at) => `${at % 7}`)
    const after = ['x', ...before, 'y'].toReversed()
    const pairs = alignEqual(before, after)

    expect(pairs.length).toBeGreaterThan(0)
    for (const [at, to] of pairs) expect(before[at]).toBe(after[to])
  })
})
