import { describe, expect, it } from 'vitest'
import { LazyList } from '../../../src/lib/lazy-list.ts'

describe('a list that is made when it is read', () => {
  it('makes what is read, and nothing else', () => {
    const made: number[] = []
    const list = new LazyList(1_000_000, (place) => {
      made.push(place)
      return place * 2
    }).map((number) => `number ${number}`)

    expect(list.length).toBe(1_000_000)
    expect(list.at(7)).toBe('number 14')
    expect(list.slice(999_998, 1_000_005)).toEqual(['number 1999996', 'number 1999998'])
    expect([list.at(-1), list.at(1_000_000), list.slice(5, 5), list.slice(9, 3)]).toEqual([
      undefined,
      undefined,
      [],
      [],
    ])
    expect(made).toEqual([7, 999_998, 999_999])
  })

  it('goes through the items of an array', () => {
    const list = LazyList.of(['one', 'two', 'three'])

    expect([...list]).toEqual(['one', 'two', 'three'])
    expect(list.slice(1)).toEqual(['two', 'three'])
  })
})
