import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withOwnLineEndings } from '../../../src/configuration/save/line-endings.ts'

/** The body that a form sends for a text. */
function sent(text: string): string {
  return text.replace(/\r\n?|\n/g, '\r\n')
}

const text = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', '', ' c'), fc.constantFrom('\n', '\r\n', '\r')))
  .map((lines) => lines.map(([line, ending]) => line + ending).join(''))

describe('line endings of a text that came back from a form', () => {
  it('are those that it had, whatever they were', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('', 'end'), (lines, end) => {
        expect(withOwnLineEndings(lines + end, sent(lines + end))).toBe(lines + end)
      }),
    )
  })

  it('neither lose nor add a line, whatever was typed', () => {
    fc.assert(
      fc.property(text, text, (own, typed) => {
        expect(sent(withOwnLineEndings(own, sent(typed)))).toBe(sent(typed))
      }),
    )
  })

  it('of empty lines after a carriage return are carriage returns', () => {
    expect(withOwnLineEndings('a\nb\nc\r', sent('a\nb\nc\n\n\nd\n'))).toBe('a\nb\nc\r\r\rd\n')
    expect(withOwnLineEndings('a\rb\n\nc\n', sent('a\n\nc\n'))).toBe('a\r\rc\n')
  })

  it('of untouched lines stay where lines come and go', () => {
    const own = 'one\r\ntwo\nthree\r\nfour\n'

    expect(withOwnLineEndings(own, sent('zero\none\nthree\nfour\n'))).toBe(
      'zero\r\none\r\nthree\r\nfour\n',
    )
  })

  it('of a document with line feeds are line feeds', () => {
    expect(withOwnLineEndings('a\nb\n', 'a\r\nc\r\nd\r\n')).toBe('a\nc\nd\n')
    expect(withOwnLineEndings('a\nb', 'a\r\nb\r\n')).toBe('a\nb\n')
  })
})
