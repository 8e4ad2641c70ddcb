import { describe, expect, it } from 'vitest'
import { mergeByChoice, mergeTexts } from '../../../src/diff/merge.ts'

const input = {
  base: Buffer.from('a\nb\nc\nd\ne\nf\n'),
  ours: Buffer.from('a\nB\nc\nd\nE\nf\nmine\n'),
  theirs: Buffer.from('theirs\na\nß\nc\nd\né\nf\n'),
}

describe('a merge by choice', () => {
  it.each([
    [['ours', 'ours'], 'theirs\na\nB\nc\nd\nE\nf\nmine\n'],
    [['ours', 'theirs'], 'theirs\na\nB\nc\nd\né\nf\nmine\n'],
    [['theirs', 'ours'], 'theirs\na\nß\nc\nd\nE\nf\nmine\n'],
    [['theirs', 'theirs'], 'theirs\na\nß\nc\nd\né\nf\nmine\n'],
  ] as const)('takes %s at the conflicts and merges the rest', (choices, merged) => {
    expect(Buffer.from(mergeByChoice(input, choices)).toString()).toBe(merged)
  })

  it('has a choice for each conflict that a merge without choices reports', () => {
    const merge = mergeTexts(input)

    expect(merge.clean ? [] : merge.conflicts).toHaveLength(2)
  })

  it('is the merge itself where there is no conflict', () => {
    const merge = mergeTexts({ ...input, ours: input.base })

    expect(merge).toEqual({
      clean: true,
      merged: mergeByChoice({ ...input, ours: input.base }, []),
    })
  })
})
