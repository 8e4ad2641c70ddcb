import { describe, expect, it } from 'vitest'
import { EXACT } from '../../../src/diff/comparison.ts'
import { intern, internFew } from '../../../src/diff/interning.ts'
import { splitLines } from '../../../src/diff/lines.ts'
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
