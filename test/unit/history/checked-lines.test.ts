import { describe, expect, it } from 'vitest'
import { checkedLines, renderCheckedLine } from '../../../src/history/index/index-file.ts'

const TEXTS = ['one', '', 'naïve ✓', '{"a":1}']
const WHOLE = Buffer.from(TEXTS.map(renderCheckedLine).join(''))

describe('checked lines', () => {
  it('are read as they were written, each with the place of its end', () => {
    const lines = [...checkedLines(WHOLE)]

    expect(textsOf(WHOLE)).toEqual(TEXTS)
    expect(lines.at(-1)?.end).toBe(WHOLE.length)
  })

  it('end before one that is cut off, wherever that is', () => {
    const ends = [0, ...Array.from(checkedLines(WHOLE), ({ end }) => end)]
    for (let length = 0; length < WHOLE.length; length += 1) {
      const whole = ends.filter((end) => end > 0 && end <= length).length
      expect(textsOf(WHOLE.subarray(0, length))).toEqual(TEXTS.slice(0, whole))
    }
  })

  it('end before one in which a byte is another', () => {
    const second = renderCheckedLine('one').length
    const damaged = Buffer.from(WHOLE)
    damaged.writeUInt8(damaged.readUInt8(second) ^ 1, second)

    expect(textsOf(damaged)).toEqual(['one'])
  })
})

function textsOf(bytes: Buffer): string[] {
  return Array.from(checkedLines(bytes), ({ body }) => body.toString())
}
