import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SecretMask } from '../../../src/agent/console/secret-mask.ts'

describe('a secret mask', () => {
  it.each([
    ['every place', ['key'], 'a key, a key', 'a ********, a ********'],
    ['overlapping secrets together', ['abc', 'cde'], 'xabcdex', 'x********x'],
    ['a secret within another', ['pass', 'password'], 'password!', '********!'],
    ['a secret of several lines line by line', ['one\r\ntwo\n'], 'two one', '******** ********'],
    ['characters that mean something in patterns', ['a.*$('], '[a.*$(]', '[********]'],
  ])('hides %s', (_, secrets, text, shown) => {
    expect(new SecretMask(secrets).hide(text)).toBe(shown)
  })

  it('leaves text alone when secrets are blank', () => {
    expect(new SecretMask(['', ' \n ']).hide('a b')).toBe('a b')
  })

  it('names a length behind which every begun secret is kept', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 40 })
    const secret = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.array(secret, { maxLength: 4 }), letters, letters, (secrets, one, two) => {
        const mask = new SecretMask(secrets)
        const safe = mask.safeLength(one)
        const whole = mask.hide(one + two)

        expect(mask.hide(one.slice(0, safe)) + mask.hide(one.slice(safe) + two)).toBe(whole)
      }),
      { numRuns: 1000 },
    )
  })
})
