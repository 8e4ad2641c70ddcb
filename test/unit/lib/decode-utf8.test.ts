import { describe, expect, it } from 'vitest'
import { decodeUtf8 } from '../../../src/lib/decode-utf8.ts'

const TEXTS = ['', 'plain', '\u{feff}<a/>', 'Zo\u00eb', 'a\u2028b', '\u{1f600} end', '\0\x7f\u0080']

describe('decodeUtf8', () => {
  it.each(TEXTS)('gives %j', (text) => {
    expect(decodeUtf8(Buffer.from(text))).toBe(text)
  })

  it('puts a replacement where the bytes are no UTF-8', () => {
    expect(decodeUtf8(Buffer.from('caf\xe9!', 'latin1'))).toBe('caf\u{fffd}!')
  })

  it('reads only the part of a buffer that was given', () => {
    expect(decodeUtf8(Buffer.from('before after').subarray(7))).toBe('after')
  })
})
