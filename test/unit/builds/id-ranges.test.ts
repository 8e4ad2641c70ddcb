import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { idRanges, idsIn, withReplacedId } from '../../../src/builds/engine/id-ranges.ts'

describe('idRanges', () => {
  it('name a row of ids by its ends', () => {
    expect(idRanges([7, 8, 9, 3, 5, 4])).toEqual([
      [7, 9],
      [3, 3],
      [5, 5],
      [4, 4],
    ])
  })

  it('give back any ids in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 })), (ids) => {
        expect(idsIn(idRanges(ids))).toEqual(ids)
      }),
    )
  })

  it('keep the place of an id that another one replaces', () => {
    expect(withReplacedId(idRanges([1, 2, 3, 4]), { from: 3, to: 9 })).toEqual([
      [1, 2],
      [9, 9],
      [4, 4],
    ])
  })
})
