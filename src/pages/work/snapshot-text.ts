import { LRUCache } from 'lru-cache'
import type { Digest } from '../../core/digest.ts'
import { type LineRange, splitLines } from '../../diff/lines.ts'
import { LinePieces, type ShownLine } from '../code/line-pieces.ts'
import { type TextLines, textLinesOf } from '../../document/text/text-lines.ts'
import type { ShownLines } from './shown-outline.ts'

/** The matches of a text in a document. */
export interface FoundText {
  readonly text: string
  /** The matching lines, from 1. */
  readonly lines: readonly number[]
}

/** Some lines of a document, and the matches of a text in all of it. */
export interface SnapshotTextRequest {
  readonly document: Uint8Array
  readonly digest: Digest
  /** The line to show, from 1. */
  readonly line: number
  /** The text to search for; empty for none. */
  readonly find: string
  /** Whether pieces carry the secret text that they hide. */
  readonly keepsHidden: boolean
}

export interface SnapshotText extends ShownLines {
  /** How many lines there are. */
  readonly lines: number
  readonly shown: readonly ShownLine[]
  readonly found: FoundText | null
}

/** Longer documents are shown in parts, which the search of a browser sees one at a time. */
const MAX_LINES = 3_000
/** The lines of a part, and of one step of a search. */
export const LINES_PER_PART = 2_000

/** The last searches: somebody who goes from match to match asks for the same again. */
const searches = new LRUCache<string, FoundText>({ max: 4 })

/** All lines of a short document, or the part around a line. */
export function snapshotText(request: SnapshotTextRequest): SnapshotText {
  const { document, digest, line, find } = request
  const lines = splitLines(document).count
  const text = textLinesOf(document, lines)
  const range = lines <= MAX_LINES ? { start: 0, end: lines } : windowOf(line, lines)
  return {
    lines,
    first: range.start + 1,
    last: range.end,
    shown: new LinePieces(text, request).of(range),
    found: find === '' ? null : findText(text, find, digest),
  }
}

/** The lines that contain a text, ignoring case; hidden secrets never match. */
function findText(lines: TextLines, text: string, digest: Digest): FoundText {
  const key = `${digest} ${text}`
  const found = searches.get(key) ?? { text, lines: matchesIn(lines, text.toLowerCase()) }
  searches.set(key, found)
  return found
}

/** Looks at lines as they are shown, so that a search cannot disclose a secret. */
function matchesIn(text: TextLines, wanted: string): readonly number[] {
  const count = text.starts.length - 1
  const pieces = new LinePieces(text)
  const matches: number[] = []
  for (let start = 0; start < count; start += LINES_PER_PART) {
    const lines = pieces.textsOf({ start, end: Math.min(start + LINES_PER_PART, count) })
    for (const [n, line] of lines.entries()) {
      if (line.toLowerCase().includes(wanted)) matches.push(start + n + 1)
    }
  }
  return matches
}

/** From 0. */
function windowOf(line: number, lines: number): LineRange {
  const start =
    Math.floor((Math.min(Math.max(line, 1), lines) - 1) / LINES_PER_PART) * LINES_PER_PART
  return { start, end: Math.min(start + LINES_PER_PART, lines) }
}
