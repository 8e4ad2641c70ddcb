import { describe, expect, it } from 'vitest'
import { PackedTexts } from '../../../src/lib/compact/packed-texts.ts'

describe('packed texts', () => {
  it('are what was added, in any order, short ones and long ones', () => {
    const texts = new PackedTexts()
    const added = Array.from({ length: 3_000 }, (_, n) => {
      if (n === 1_500) return 'long '.repeat(100_000)
      return n % 7 === 0 ? '' : `text ${n} with more than ASCII: ä, €, 😀 ${'x'.repeat(n % 50)}`
    })
    const numbers = added.map((text) => texts.add(text))
    expect(numbers).toEqual(added.map((_, n) => n))
    const shuffled = numbers.toSorted((one, other) => ((one * 7) % 3_000) - ((other * 7) % 3_000))
    for (const number of shuffled) expect(texts.get(number)).toBe(added[number])
  })

  it('are refused by numbers that none has', () => {
    const texts = new PackedTexts()
    expect(() => texts.get(0)).toThrow(RangeError)
    texts.add('one')
    expect(() => texts.get(1)).toThrow(RangeError)
  })
})
