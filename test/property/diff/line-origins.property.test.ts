import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editScript } from '../../../src/diff/edit-script.ts'
import { carryOrigins, type LineOrigins } from '../../../src/diff/line-origins.ts'

const texts = fc.array(fc.array(fc.constantFrom('a', 'b', 'c', '  d', ''), { maxLength: 12 }), {
  minLength: 1,
  maxLength: 6,
})

/** The origins of the lines of the last text, the texts counted from 1. */
function originsOf(history: readonly (readonly string[])[]): LineOrigins {
  let before = Buffer.from('')
  let origins: LineOrigins = new Int32Array()
  for (const [n, lines] of history.entries()) {
    const after = Buffer.from(lines.map((line) => `${line}\n`).join(''))
    origins = carryOrigins(origins, editScript(before, after), n + 1)
    before = after
  }
  return origins
}

describe('the origins of lines', () => {
  it('are one for each line, and each line stands in the text it comes from and in all since', () => {
    fc.assert(
      fc.property(texts, (history) => {
        const origins = originsOf(history)
        const last = history.at(-1) ?? []

        expect(origins).toHaveLength(last.length)
        for (const [n, line] of last.entries()) {
          const since = history.slice((origins[n] ?? 0) - 1)
          expect(since.every((text) => text.includes(line))).toBe(true)
        }
      }),
    )
  })

  it('stay what they are when a text comes again', () => {
    fc.assert(
      fc.property(texts, (history) => {
        const last = history.at(-1) ?? []

        expect(originsOf([...history, last])).toEqual(originsOf(history))
      }),
    )
  })

  it('name the text that changed a line, and no other', () => {
    const origins = originsOf([
      ['one', 'two', 'three'],
      ['one', 'TWO', 'three'],
      ['zero', 'one', 'TWO', 'three'],
    ])

    expect([...origins]).toEqual([3, 1, 2, 1])
  })
})
