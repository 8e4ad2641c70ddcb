import { describe, expect, it } from 'vitest'
import { EXACT } from '../../../src/diff/comparison.ts'
import { intern, internFew } from '../../../src/diff/interning.ts'
import { editScript, quickScript } from '../../../src/diff/edit-script.ts'
import { noteLines, splitLines } from '../../../src/diff/lines.ts'
import * as fc from 'fast-check'
import { runSync } from '../../../src/lib/cooperative.ts'

/** The lines of a text that repeats itself, with others in place of those from 5,000 to 5,002. */
function linesWith(...changed: readonly string[]) {
  const lines = Array.from({ length: 10_000 }, (_, n) => `${n % 7}${'x'.repeat(n % 5)}`)
  lines.splice(5_000, 2, ...changed)
  return splitLines(Buffer.from(`${lines.join('\n')}\n`))
}

describe('the lines of a small region', () => {
  it.each([
    [
      ['0', '1x'],
      ['1x', 'new', '2xx'],
    ],
    [['6xxxx', 'old'], ['6xxxx']],
    [
      ['3', '3'],
      ['4x', '3'],
    ],
    [['old', 'older'], ['new']],
  ])('have the counts in steps that they have at once, for %j and %j', (one, other) => {
    const texts = { before: linesWith(...one), after: linesWith(...other) }
    const region = {
      before: { start: 5_000, end: 5_000 + one.length },
      after: { start: 5_000, end: 5_000 + other.length },
    }

    expect(runSync(internFew(texts, region))).toEqual(intern(texts, region, EXACT))
  })
})

/** A text of four lines that take turns, with some others in the middle. */
function repetitive(between: readonly string[]): Buffer {
  const end = Array.from({ length: 3_000 }, (_, n) => 'abcd'.charAt(n % 4))
  return Buffer.from([...end, ...between, 'rare', ...end, ''].join('\n'))
}

describe('lines that occur thousands of times', () => {
  const line = fc.constantFrom('a', 'b', 'c', 'd', 'new', 'other')
  const few = fc.array(line, { minLength: 2, maxLength: 30 })

  it('are compared in steps as at once', () => {
    fc.assert(
      fc.property(few, few, (one, other) => {
        const [before, after] = [repetitive(one), repetitive(other)]
        noteLines(before, splitLines(before))

        expect(runSync(quickScript(before, after))?.changes).toEqual(
          editScript(before, after).changes,
        )
      }),
      { numRuns: 300 },
    )
  })
})
