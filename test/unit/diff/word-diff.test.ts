import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type WordPiece, wordDiff } from '../../../src/diff/word-diff.ts'

/** The line with its changed parts in brackets. */
function marked(pieces: readonly WordPiece[]): string {
  return pieces.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('')
}

function unmarked(pieces: readonly WordPiece[]): string {
  return pieces.flatMap(({ text, changed }) => (changed ? [] : [text])).join('')
}

describe('a word diff', () => {
  it('marks the words that differ', () => {
    const { before, after } = wordDiff('<job name="unit" />', '<job name="e2e" runs="3" />')

    expect(marked(before)).toBe('<job name="[unit]" />')
    expect(marked(after)).toBe('<job name="[e2e" runs="3]" />')
  })

  it('marks lines that share little as a whole', () => {
    const { before, after } = wordDiff('<svn url="x" />', '    mostly something else entirely')

    expect(marked(before)).toBe('[<svn url="x" />]')
    expect(marked(after)).toBe('[    mostly something else entirely]')
  })

  it('marks only the middle of very long lines', () => {
    const long = 'word '.repeat(2000)

    const { before, after } = wordDiff(`${long}a b c${long}`, `${long}a x c${long}`)

    expect(before.filter(({ changed }) => changed)).toEqual([{ text: 'b', changed: true }])
    expect(after.filter(({ changed }) => changed)).toEqual([{ text: 'x', changed: true }])
  })

  it('loses no text, and leaves the same text unmarked on both sides', () => {
    const line = fc.array(fc.constantFrom('a', 'bc', ' ', '"', '=', 'ž', '💥'), { maxLength: 20 })
    fc.assert(
      fc.property(line, line, (a, b) => {
        const { before, after } = wordDiff(a.join(''), b.join(''))

        expect(before.map(({ text }) => text).join('')).toBe(a.join(''))
        expect(after.map(({ text }) => text).join('')).toBe(b.join(''))
        expect(unmarked(before)).toBe(unmarked(after))
      }),
      { numRuns: 1000 },
    )
  })
})
