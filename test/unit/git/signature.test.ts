import { describe, expect, it } from 'vitest'
import { renderSignature } from '../../../src/git/signature.ts'

describe('a signature', () => {
  it.each([
    ['a\n ', 'a%0A%20'],
    [' \u2028a', '%20%E2%80%A8a'],
    ['a <b>', 'a %3Cb%3E'],
    [' ', '%20'],
    ['', 'unknown'],
  ])('has no outer blanks, and stays one line: %j', (name, written) => {
    expect(renderSignature({ name, email: 'a@x', time: 1_000 })).toBe(`${written} <a@x> 1 +0000`)
  })
})
