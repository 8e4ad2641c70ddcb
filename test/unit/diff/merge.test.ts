import { describe, expect, it } from 'vitest'
import { mergeTexts } from '../../../src/diff/merge.ts'

function merge(base: string, ours: string, theirs: string) {
  return mergeTexts({
    base: Buffer.from(base),
    ours: Buffer.from(ours),
    theirs: Buffer.from(theirs),
  })
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString()
}

describe('a three-way merge', () => {
  it('takes the edit of the one side that made any', () => {
    expect(merge('a\n', 'b\n', 'a\n')).toMatchObject({ clean: true, merged: Buffer.from('b\n') })
    expect(merge('a\n', 'a\n', 'b\n')).toMatchObject({ clean: true, merged: Buffer.from('b\n') })
  })

  it('keeps once what both sides did alike', () => {
    const merged = merge('a\nb\nc\nd\n', 'a\nX\nc\nd\n', 'a\nX\nc\nD\n')

    expect(merged).toEqual({ clean: true, merged: Buffer.from('a\nX\nc\nD\n') })
  })

  it('refuses edits of neighbouring lines', () => {
    expect(merge('a\nb\nc\n', 'A\nb\nc\n', 'a\nB\nc\n')).toMatchObject({ clean: false })
    expect(merge('a\nb\nc\n', 'A\nb\nc\n', 'a\nb\nC\n')).toMatchObject({ clean: true })
  })

  it('names the lines of a conflict in all three texts, with what they say', () => {
    const merged = merge('a\nb\nc\nd\ne\n', 'new\na\nb\nc\nX\ne\n', 'a\nb\nc\ne\n')

    if (merged.clean) throw new Error('it merged')
    const [conflict] = merged.conflicts
    expect(merged.conflicts).toHaveLength(1)
    expect(conflict?.base.lines).toEqual({ start: 3, end: 4 })
    expect(conflict?.ours.lines).toEqual({ start: 4, end: 5 })
    expect(conflict?.theirs.lines).toEqual({ start: 3, end: 3 })
    expect(textOf(conflict?.ours.bytes ?? Buffer.alloc(0))).toBe('X\n')
    expect(textOf(conflict?.theirs.bytes ?? Buffer.alloc(1))).toBe('')
  })
})
