import { array, assert, asyncProperty, integer, option, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PktLine, readPktLines, renderPktLine } from '../../../src/history/push/pkt-line.ts'

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function linesOf(bytes: Buffer, size = 7): Promise<PktLine[]> {
  const lines: PktLine[] = []
  for await (const line of readPktLines(inPieces(bytes, size))) lines.push(line)
  return lines
}

const Line = option(
  string({ unit: 'grapheme' }).filter((text) => !text.endsWith('\n')),
  { nil: null },
)

describe("lines of git's protocols", () => {
  it('are read as they were rendered, in whatever pieces they come', async () => {
    await assert(
      asyncProperty(array(Line), integer({ min: 1, max: 50 }), async (lines, size) => {
        const bytes = Buffer.from(lines.map(renderPktLine).join(''))

        expect(await linesOf(bytes, size)).toEqual(lines)
      }),
    )
  })

  it('may end with a line feed, which is no part of them', async () => {
    expect(await linesOf(Buffer.from('0009okay\n0000'))).toEqual(['okay', null])
  })

  it.each(['zzzz', '0003', '-001'])('are refused with the length %s', async (length) => {
    await expect(linesOf(Buffer.from(`${length}text`))).rejects.toThrow(RangeError)
  })
})
