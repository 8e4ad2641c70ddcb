import { describe, expect, it } from 'vitest'
import { pageOf, parseOffset } from '../../../src/core/page.ts'

describe('parseOffset', () => {
  it.each([
    ['0', 0],
    ['10', 10],
    ['007', 7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992', Number.MAX_SAFE_INTEGER],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ])('reads %s', (text, offset) => {
    expect(parseOffset(text)).toBe(offset)
  })

  it.each(['', '-1', '1.5', '1e3', ' 1', 'ten', '0x1', '+1', '１'])('refuses %j', (text) => {
    expect(() => parseOffset(text)).toThrow(expect.objectContaining({ code: 'malformed-request' }))
  })
})

describe('pageOf', () => {
  it('names the offset, the total and the size of every page', () => {
    expect(pageOf(['a'], { offset: 20, total: 21 })).toEqual({
      items: ['a'],
      pagination: { offset: 20, total: 21, pageSize: 10 },
    })
  })
})
