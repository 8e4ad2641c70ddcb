import { splitLines } from '../../diff/lines.ts'
import { LinePieces, lineText } from '../code/line-pieces.ts'
import { textLinesOf } from '../code/text-lines.ts'

/** The matches of a text in a document. */
export interface FoundText {
  readonly text: string
  /** The matching lines, from 1. */
  readonly lines: readonly number[]
}

/** The number of lines cut into pieces at a time. */
const WINDOW = 1200

/** The lines that contain a text, ignoring case; hidden secrets never match. */
export function findText(document: Uint8Array, text: string): FoundText {
  const wanted = text.toLowerCase()
  const found: number[] = []
  let number = 0
  for (const line of shownLines(document)) {
    number += 1
    if (line.toLowerCase().includes(wanted)) found.push(number)
  }
  return { text, lines: found }
}

/** The lines as shown, so that a search cannot disclose a secret. */
function* shownLines(document: Uint8Array): Generator<string> {
  const lines = splitLines(document).count
  const pieces = new LinePieces(textLinesOf(document, lines))
  for (let start = 0; start < lines; start += WINDOW) {
    for (const line of pieces.of({ start, end: Math.min(start + WINDOW, lines) })) {
      yield lineText(line)
    }
  }
}
