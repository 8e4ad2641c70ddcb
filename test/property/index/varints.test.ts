import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { packNumbers, unpackNumbers } from '../../../src/index/database/varints.ts'

it('gives back the numbers that were packed', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(), fc.maxSafeNat(), fc.nat({ max: 300 }))), (numbers) => {
      expect(unpackNumbers(packNumbers(numbers))).toEqual(numbers)
    }),
  )
})
