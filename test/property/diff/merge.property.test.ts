import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeTexts } from '../../../src/diff/merge.ts'
import { gitMergeFile } from '../../support/git/git-diff.ts'

const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n', '  d\n', 'e\r\n')
const edit = fc.record({
  at: fc.nat(30),
  remove: fc.nat(2),
  insert: fc.array(line, { maxLength: 2 }),
})
const ending = fc.constantFrom('', 'end', 'end\n')

/** A text and two edits of it; about half of them merge. */
const threeTexts = fc
  .record({
    base: fc.array(line, { minLength: 5, maxLength: 30 }),
    ours: fc.array(edit, { maxLength: 2 }),
    theirs: fc.array(edit, { maxLength: 2 }),
    endings: fc.oneof(
      ending.map((end) => ({ base: end, ours: end, theirs: end })),
      fc.record({ base: ending, ours: ending, theirs: ending }),
    ),
  })
  .map(({ base, ours, theirs, endings }) => ({
    base: base.join('') + endings.base,
    ours: edited(base, ours) + endings.ours,
    theirs: edited(base, theirs) + endings.theirs,
  }))

function edited(
  lines: readonly string[],
  edits: readonly { at: number; remove: number; insert: readonly string[] }[],
): string {
  const result = [...lines]
  for (const { at, remove, insert } of edits) result.splice(at, remove, ...insert)
  return result.join('')
}

function merge({ base, ours, theirs }: { base: string; ours: string; theirs: string }) {
  const result = mergeTexts({
    base: Buffer.from(base),
    ours: Buffer.from(ours),
    theirs: Buffer.from(theirs),
  })
  return result.clean ? Buffer.from(result.merged).toString() : null
}

describe('a three-way merge', () => {
  it(
    'agrees with git merge-file on whether texts merge, and on the merged text',
    { tags: ['long'] },
    () => {
      fc.assert(
        fc.property(threeTexts, (texts) => {
          const { conflicts, text } = gitMergeFile(texts)

          expect(merge(texts)).toBe(conflicts > 0 ? null : text.toString())
        }),
        { numRuns: 100 },
      )
    },
  )

  it('gives the same whichever side is called ours', () => {
    fc.assert(
      fc.property(threeTexts, ({ base, ours, theirs }) => {
        expect(merge({ base, ours, theirs })).toBe(merge({ base, ours: theirs, theirs: ours }))
      }),
      { numRuns: 800 },
    )
  })

  it('applies edits of different lines together', () => {
    const unique = fc.integer({ min: 8, max: 60 }).map((count) => {
      return Array.from({ length: count }, (_, n) => `line ${n}\n`)
    })
    fc.assert(
      fc.property(unique, fc.nat(), fc.nat(), (lines, a, b) => {
        const [first, second] = [a % lines.length, b % lines.length]
        fc.pre(Math.abs(first - second) > 1)
        const ours = lines.with(first, 'ours\n')
        const theirs = lines.toSpliced(second, 1)
        const both = ours.toSpliced(second, 1)

        const merged = merge({
          base: lines.join(''),
          ours: ours.join(''),
          theirs: theirs.join(''),
        })

        expect(merged).toBe(both.join(''))
      }),
      { numRuns: 500 },
    )
  })
})
