import { decodeUtf8 } from '../../lib/decode-utf8.ts'

/** A document as text with the offsets of its lines; only a line feed ends a line. */
export interface TextLines {
  readonly text: string
  readonly starts: Int32Array
}

/** Decodes a document; bytes that are not UTF-8 become U+FFFD. */
export function textLinesOf(bytes: Uint8Array, count: number): TextLines {
  const text = decodeUtf8(bytes)
  const starts = new Int32Array(count + 1)
  for (let line = 1; line < count; line++) {
    starts[line] = text.indexOf('\n', starts[line - 1]) + 1
  }
  starts[count] = text.length
  return { text, starts }
}

interface CharacterRange {
  readonly start: number
  readonly end: number
}

/** A line without its line feed. Lines count from 0. */
export function lineSpan({ text, starts }: TextLines, line: number): CharacterRange {
  const start = starts[line] ?? text.length
  const end = starts[line + 1] ?? text.length
  return { start, end: end > start && text[end - 1] === '\n' ? end - 1 : end }
}

/** The offset of the first character of a line that is not white space. */
export function contentStart(lines: TextLines, line: number): number {
  const { start, end } = lineSpan(lines, line)
  return start + (/\S/.exec(lines.text.slice(start, end))?.index ?? 0)
}
