import type { ComparedSide } from './candidates.ts'
import { markDifferences } from './myers.ts'

/** A part of a line, and whether the other line lacks it. */
export interface WordPiece {
  readonly text: string
  readonly changed: boolean
}

export interface WordDiff {
  readonly before: readonly WordPiece[]
  readonly after: readonly WordPiece[]
}

const WORDS = /[\p{L}\p{N}_]+|\s+|[^]/gu
/** Longer lines are not cut into words; only their common ends are left unmarked. */
const MAX_LINE_LENGTH = 4000
/** Lines that share less than this part of their text are shown as wholly changed. */
const MIN_COMMON = 0.25

/** The parts of two lines that differ, by words; joined, the pieces are the lines. */
export function wordDiff(before: string, after: string): WordDiff {
  const words = Math.max(before.length, after.length) > MAX_LINE_LENGTH ? ends : cut
  const tokens = words(before, after)
  const sides = sidesOf(tokens)
  markDifferences(sides.before, sides.after)
  if (commonPart(tokens.before, sides.before) < MIN_COMMON * longest(before, after)) {
    return { before: whole(before), after: whole(after) }
  }
  return {
    before: piecesOf(tokens.before, sides.before.changed),
    after: piecesOf(tokens.after, sides.after.changed),
  }
}

interface Tokens {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

function cut(before: string, after: string): Tokens {
  return { before: before.match(WORDS) ?? [], after: after.match(WORDS) ?? [] }
}

function ends(before: string, after: string): Tokens {
  const limit = Math.min(before.length, after.length)
  let prefix = 0
  while (prefix < limit && before[prefix] === after[prefix]) prefix += 1
  let suffix = 0
  while (suffix < limit - prefix && before.at(-1 - suffix) === after.at(-1 - suffix)) suffix += 1
  const parts = (line: string) =>
    [
      line.slice(0, prefix),
      line.slice(prefix, line.length - suffix),
      line.slice(line.length - suffix),
    ].filter((part) => part !== '')
  return { before: parts(before), after: parts(after) }
}

function sidesOf({ before, after }: Tokens): {
  readonly before: ComparedSide
  readonly after: ComparedSide
} {
  const ids = new Map<string, number>()
  const side = (tokens: readonly string[]): ComparedSide => {
    for (const token of tokens) if (!ids.has(token)) ids.set(token, ids.size)
    return {
      ids: Int32Array.from(tokens, (token) => ids.get(token) ?? 0),
      places: Int32Array.from(tokens.keys()),
      changed: new Uint8Array(tokens.length),
    }
  }
  return { before: side(before), after: side(after) }
}

/** The length of the common text of both lines, without white space. */
function commonPart(tokens: readonly string[], { changed }: ComparedSide): number {
  return tokens.reduce((sum, token, n) => sum + (changed[n] === 1 ? 0 : token.trim().length), 0)
}

function longest(before: string, after: string): number {
  return Math.max(before.trim().length, after.trim().length)
}

function whole(line: string): WordPiece[] {
  return line === '' ? [] : [{ text: line, changed: true }]
}

function piecesOf(tokens: readonly string[], marks: Uint8Array): WordPiece[] {
  const pieces: { text: string; changed: boolean }[] = []
  for (const [n, text] of tokens.entries()) {
    const changed = marks[n] === 1
    const last = pieces.at(-1)
    if (last?.changed === changed) last.text += text
    else pieces.push({ text, changed })
  }
  return pieces
}
