import { splitLines } from '../../diff/lines.ts'
import { LinePieces } from '../code/line-pieces.ts'
import { textLinesOf } from '../code/text-lines.ts'

/** Where a text stands in a document. */
export interface FoundText {
  readonly text: string
  /** The lines, from 1; not more of them than a page can use. */
  readonly lines: readonly number[]
  /** How many lines there are in all. */
  readonly count: number
}

const MOST = 1000
/** Lines that are cut into pieces at once. */
const WINDOW = 1200

/** The lines that have a text in them, in whatever case; not where a secret is hidden. */
export function findText(document: Uint8Array, text: string): FoundText {
  const wanted = text.toLowerCase()
  const found: number[] = []
  let count = 0
  let number = 0
  for (const line of shownLines(document)) {
    number += 1
    if (!line.toLowerCase().includes(wanted)) continue
    count += 1
    if (found.length < MOST) found.push(number)
  }
  return { text, lines: found, count }
}

/** The lines as they are shown, so that nobody finds a secret by looking for it. */
function* shownLines(document: Uint8Array): Generator<string> {
  const lines = splitLines(document).count
  const pieces = new LinePieces(textLinesOf(document, lines))
  for (let start = 0; start < lines; start += WINDOW) {
    for (const line of pieces.of({ start, end: Math.min(start + WINDOW, lines) })) {
      yield line.pieces.map((piece) => piece.text).join('')
    }
  }
}
