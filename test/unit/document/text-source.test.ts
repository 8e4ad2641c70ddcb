import { describe, expect, it } from 'vitest'
import {
  AsciiText,
  commonEnds,
  hasCharacter,
  isSameText,
} from '../../../src/document/text/text-source.ts'

const TEXT = 'one line\nand another\r\nthe last'

function decodedLater(text: string): AsciiText {
  return new AsciiText(new TextEncoder().encode(text))
}

describe('the text of bytes that is decoded when it is asked for', () => {
  it.each([
    [0, 3],
    [4, 8],
    [9, undefined],
    [0, 1_000],
    [1_000, 2_000],
    [5, 5],
    [8, 2],
    [undefined, undefined],
  ])('has the part from %s to %s, before the whole was asked for and after it', (start, end) => {
    const text = decodedLater(TEXT)

    expect(text.slice(start, end)).toBe(TEXT.slice(start, end))
    expect(text.slice()).toBe(TEXT)
    expect(text.slice(start, end)).toBe(TEXT.slice(start, end))
  })

  it.each([
    ['another text', TEXT.replace('last', 'next')],
    ['a longer text', TEXT.replace('another', 'another one')],
    ['the same text', TEXT],
  ])('is compared with %s as strings are', (_, other) => {
    const [one, two] = [decodedLater(TEXT), decodedLater(other)]

    expect(isSameText(one, two)).toBe(TEXT === other)
    expect(isSameText(one, other)).toBe(TEXT === other)
    expect(commonEnds(one, two)).toEqual(commonEnds(TEXT, other))
    expect(commonEnds(TEXT, two)).toEqual(commonEnds(TEXT, other))
  })

  it('knows which characters it has', () => {
    expect(hasCharacter(decodedLater(TEXT), '\r')).toBe(true)
    expect(hasCharacter(decodedLater(TEXT), '\t')).toBe(false)
    expect(hasCharacter(TEXT, '\r')).toBe(true)
  })
})
