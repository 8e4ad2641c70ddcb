import { describe, expect, it } from 'vitest'
import { NumberList } from '../../../src/lib/compact/number-list.ts'

describe('a list of numbers', () => {
  it('gives what was pushed, and nothing beyond its end', () => {
    const list = new NumberList()
    const numbers = Array.from({ length: 1_000 }, (_, n) => n * 3 - 500)
    for (const number of numbers) list.push(number)
    expect(list.slice()).toEqual(numbers)
    expect(list.slice(990)).toEqual(numbers.slice(990))
    expect(list.slice(10, 12)).toEqual([-470, -467])
    expect([list.at(999), list.at(1_000), list.at(-1)]).toEqual([2_497, undefined, undefined])
  })
})
