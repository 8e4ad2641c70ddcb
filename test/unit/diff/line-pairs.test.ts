import { describe, expect, it } from 'vitest'
import { editScript } from '../../../src/diff/edit-script.ts'
import { type LinePair, pairLines } from '../../../src/diff/line-pairs.ts'

function textOf(lines: string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''))
}

function pairs(before: string[], after: string[]): LinePair[] {
  const script = editScript(textOf(before), textOf(after))
  return script.changes.flatMap((change) => pairLines(script, change))
}

describe('the lines of a change', () => {
  it('are paired with those that took their place', () => {
    expect(
      pairs(['<a name="one"/>', '<b name="two"/>'], ['<a name="1"/>', '<b name="2"/>']),
    ).toEqual([
      { before: 0, after: 0 },
      { before: 1, after: 1 },
    ])
  })

  it('stand alone where nothing on the other side is like them', () => {
    expect(pairs(['<job name="x"/>'], ['new', '<job name="y"/>', 'more'])).toEqual([
      { before: null, after: 0 },
      { before: 0, after: 1 },
      { before: null, after: 2 },
    ])
  })

  it('are each in one pair when there are too many to compare', () => {
    const before = Array.from({ length: 60 }, (_, n) => `before ${n}`)
    const after = Array.from({ length: 70 }, (_, n) => `after ${n}`)

    const rows = pairs(before, after)

    expect(rows.flatMap((row) => row.before ?? [])).toEqual([...before.keys()])
    expect(rows.flatMap((row) => row.after ?? [])).toEqual([...after.keys()])
    expect(rows).toHaveLength(70)
  })
})
