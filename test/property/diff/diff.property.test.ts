import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coarseScript } from '../../../src/diff/edit-script.ts'
import { renderUnified, unifiedDiff } from '../../../src/diff/unified.ts'
import { applyHunks } from '../../support/documents/apply-hunks.ts'
import { gitApply, gitDiff } from '../../support/git/git-diff.ts'
import { editedSoup, lineSoup, slidingSoup } from '../../support/documents/line-soup.ts'

const pair = fc.oneof(fc.tuple(lineSoup, lineSoup), editedSoup, slidingSoup)

/** The text without its blanks; line feeds stay. */
function bare(text: string): string {
  return text.replaceAll(/[ \t\r]/g, '')
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

describe('the diff of any two texts', () => {
  it('gives the second when it is applied to the first', () => {
    fc.assert(
      fc.property(pair, fc.nat(4), ([before, after], context) => {
        const [from, to] = [Buffer.from(before), Buffer.from(after)]

        const hunks = latin1(unifiedDiff(from, to, { context }))

        expect(applyHunks(latin1(from), hunks)).toBe(latin1(to))
      }),
      { numRuns: 2000 },
    )
  })

  it('gives the second even when it is coarse', () => {
    fc.assert(
      fc.property(pair, ([before, after]) => {
        const [from, to] = [Buffer.from(before), Buffer.from(after)]

        const hunks = latin1(renderUnified(coarseScript(from, to)))

        expect(applyHunks(latin1(from), hunks)).toBe(latin1(to))
      }),
      { numRuns: 1000 },
    )
  })

  it('is empty, when white space is overlooked, for texts without other differences', () => {
    const spaced = fc.array(fc.constantFrom('a', 'b', ' ', '\t', '\r', '\n'), { maxLength: 30 })
    fc.assert(
      fc.property(spaced, (pieces) => {
        const text = pieces.join('')

        expect(
          unifiedDiff(Buffer.from(text), Buffer.from(bare(text)), { whitespace: 'ignore' }).length >
            0,
        ).toBe(linesAreLost(text))
      }),
      { numRuns: 1000 },
    )
  })

  it('is taken by git apply', () => {
    fc.assert(
      fc.property(pair, ([before, after]) => {
        fc.pre(before !== after && before !== '' && after !== '')
        const [from, to] = [Buffer.from(before), Buffer.from(after)]

        expect(gitApply(from, unifiedDiff(from, to))?.toString('latin1')).toBe(latin1(to))
      }),
      { numRuns: 60 },
    )
  })

  it('reads like the one of git when white space is overlooked', () => {
    fc.assert(
      fc.property(pair, ([before, after]) => {
        const [from, to] = [Buffer.from(before), Buffer.from(after)]

        const hunks = latin1(unifiedDiff(from, to, { whitespace: 'ignore' }))

        expect(hunks).toBe(gitDiff(from, to, '-w'))
      }),
      { numRuns: 60 },
    )
  })

  it('reads like the one of git', () => {
    fc.assert(
      fc.property(pair, ([before, after]) => {
        const [from, to] = [Buffer.from(before), Buffer.from(after)]

        expect(latin1(unifiedDiff(from, to))).toBe(gitDiff(from, to))
      }),
      { numRuns: 60 },
    )
  })
})

/** Removing the white space of a text can remove its last line. */
function linesAreLost(text: string): boolean {
  return /(^|\n)[ \t\r]+$/.test(text)
}
