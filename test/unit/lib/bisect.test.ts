import { describe, expect, it } from 'vitest'
import { bisect, bisectAsync } from '../../../src/lib/bisect.ts'

const FINDERS = {
  bisect: async (range: { low?: number; high: number }, test: (n: number) => boolean) =>
    bisect(range, test),
  bisectAsync: (range: { low?: number; high: number }, test: (n: number) => boolean) =>
    bisectAsync(range, async (n) => test(n)),
}

describe.each(Object.entries(FINDERS))('%s', (_, find) => {
  it('finds the first number for which the test is false, in every range', async () => {
    for (let high = 0; high <= 9; high += 1) {
      for (let first = 0; first <= high; first += 1) {
        expect(await find({ high }, (n) => n < first)).toBe(first)
      }
    }
  })

  it('stays between low and high', async () => {
    expect(await find({ low: 3, high: 8 }, () => false)).toBe(3)
    expect(await find({ low: 3, high: 8 }, () => true)).toBe(8)
    expect(await find({ low: 1, high: 0 }, () => true)).toBe(1)
  })

  it('asks few times', async () => {
    let asked = 0
    const found = await find({ high: 1_000_000 }, (n) => {
      asked += 1
      return n < 777_777
    })

    expect(found).toBe(777_777)
    expect(asked).toBeLessThanOrEqual(20)
  })
})
