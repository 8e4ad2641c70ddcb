import { expect, it } from 'vitest'
import { memoize } from '../../../src/lib/memoize.ts'

it('computes the answer for an object once, also where it is undefined', () => {
  const asked: object[] = []
  const answerOf = memoize((key: { readonly answer?: string }) => {
    asked.push(key)
    return key.answer
  })
  const [one, other] = [{ answer: 'yes' }, {}]

  expect([one, other, one, other].map(answerOf)).toEqual(['yes', undefined, 'yes', undefined])
  expect(asked).toEqual([one, other])
})
