import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { NumberRanges, type Range } from '../../../src/index/database/number-ranges.ts'

const MAX = 30
const range = fc
  .tuple(fc.integer({ min: 1, max: MAX }), fc.nat({ max: 6 }))
  .map(([low, more]): Range => ({ low, high: low + more }))
const steps = fc.array(fc.record({ isAdded: fc.boolean(), range }), { maxLength: 20 })

function numbersOf({ low, high }: Range): number[] {
  return Array.from({ length: high - low + 1 }, (_, n) => low + n)
}

/** The highest numbers of a range that follow each other and are not in the set. */
function gapIn(numbers: ReadonlySet<number>, whole: Range): Range | null {
  const missing = numbersOf(whole).filter((number) => !numbers.has(number))
  const high = missing.at(-1)
  if (high === undefined) return null
  let low = high
  while (low > whole.low && !numbers.has(low - 1)) low -= 1
  return { low, high }
}

it('has the numbers that a set has, and finds the highest that are missing', () => {
  fc.assert(
    fc.property(steps, range, (all, within) => {
      const [ranges, set] = [new NumberRanges(), new Set<number>()]
      for (const step of all) {
        if (step.isAdded) ranges.add(step.range)
        else ranges.remove(step.range)
        for (const number of numbersOf(step.range)) {
          if (step.isAdded) set.add(number)
          else set.delete(number)
        }
      }

      const inside = numbersOf(within).filter((number) => set.has(number))
      expect(numbersOf({ low: 1, high: MAX + 6 }).filter((each) => ranges.has(each))).toEqual(
        [...set].toSorted((one, other) => one - other),
      )
      expect(ranges.countWithin(within)).toBe(inside.length)
      expect(ranges.highestGap(within)).toEqual(gapIn(set, within))
      expect(new NumberRanges(ranges.descending()).descending()).toEqual(ranges.descending())
    }),
  )
})
