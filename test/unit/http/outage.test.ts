import { describe, expect, it } from 'vitest'
import { outageOf } from '../../../src/http/outage.ts'

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code })
}

describe('outageOf', () => {
  it.each([
    ['ENOSPC', 'The disk of the server is full'],
    ['EROFS', 'The disk of the server is read-only'],
    ['EMFILE', 'The server has too many files open'],
  ])('knows %s, also as the cause of another error', (code, told) => {
    const error = systemError(code)

    expect(outageOf(error)).toBe(told)
    expect(outageOf(new Error('It failed', { cause: error }))).toBe(told)
  })

  it('takes every other error for a bug', () => {
    expect(outageOf(systemError('ENOENT'))).toBeNull()
    expect(outageOf(new TypeError('x'))).toBeNull()
    expect(outageOf('ENOSPC')).toBeNull()
  })
})
