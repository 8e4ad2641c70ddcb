import type { EditScript } from '../../diff/edit-script.ts'
import { pairLines } from '../../diff/line-pairs.ts'
import { wordDiff, type WordPiece } from '../../diff/word-diff.ts'
import { type LinePieces, lineText, type Piece, type ShownLine } from './line-pieces.ts'
import type { Block } from './regions.ts'

export interface MarkedPiece extends Piece {
  /** Whether the other line does not have it, or a search found it. */
  readonly isMarked: boolean
}

/** A line in a row; numbers count from 1. */
export interface Cell {
  readonly number: number
  readonly pieces: readonly MarkedPiece[]
  readonly lacksLineFeed: boolean
}

/** Two lines side by side; null where a side has none. */
export interface Row {
  readonly before: Cell | null
  readonly after: Cell | null
}

/** The rows of one change, or of unchanged lines between two. */
export interface BlockRows {
  /** The number of the change, from 1; null for unchanged lines. */
  readonly change: number | null
  readonly isContinued: boolean
  readonly rows: readonly Row[]
}

export interface Sides {
  readonly before: LinePieces
  readonly after: LinePieces
}

/** The rows of a block. Blocks have to be requested in ascending order. */
export function blockRows(script: EditScript, block: Block, sides: Sides): BlockRows {
  const before = sides.before.of(block.before)
  const after = sides.after.of(block.after)
  const { change, isContinued } = block
  const pairs = change === null ? sideBySide(before.length) : pairsOf(script, block)
  const rows = pairs.map((pair) => {
    const old = pair.before === null ? null : (before[pair.before] ?? null)
    const now = pair.after === null ? null : (after[pair.after] ?? null)
    const [left, right] = change === null ? plain(old, now) : marked(old, now)
    return {
      before: cell(old, left, block.before.start + (pair.before ?? 0)),
      after: cell(now, right, block.after.start + (pair.after ?? 0)),
    }
  })
  return { change, isContinued, rows }
}

interface Pair {
  readonly before: number | null
  readonly after: number | null
}

function sideBySide(count: number): Pair[] {
  return Array.from({ length: count }, (_, n) => ({ before: n, after: n }))
}

/** Pairs the lines by position in the block. */
function pairsOf(script: EditScript, block: Block): Pair[] {
  return pairLines(script, block).map(({ before, after }) => ({
    before: before === null ? null : before - block.before.start,
    after: after === null ? null : after - block.after.start,
  }))
}

function cell(line: ShownLine | null, pieces: readonly MarkedPiece[], at: number): Cell | null {
  return line === null ? null : { number: at + 1, pieces, lacksLineFeed: line.lacksLineFeed }
}

type Marks = readonly [readonly MarkedPiece[], readonly MarkedPiece[]]

function plain(before: ShownLine | null, after: ShownLine | null): Marks {
  return [unmarked(before), unmarked(after)]
}

/** Marks the words that differ; a secret that differs is marked without being shown. */
function marked(before: ShownLine | null, after: ShownLine | null): Marks {
  if (before === null || after === null) return plain(before, after)
  const words = wordDiff(lineText(before), lineText(after))
  const isSecretNew = before.secrets !== after.secrets
  return [markWords(before, words.before, isSecretNew), markWords(after, words.after, isSecretNew)]
}

function unmarked(line: ShownLine | null): MarkedPiece[] {
  return (line?.pieces ?? []).map((piece) => ({ ...piece, isMarked: false }))
}

/** Splits the pieces of a line where marked words start and end; a secret is not split. */
export function markWords(
  { pieces }: ShownLine,
  words: readonly WordPiece[],
  isSecretNew: boolean,
): MarkedPiece[] {
  const out: MarkedPiece[] = []
  let word = 0
  let left = words[0]?.text.length ?? 0
  for (const piece of pieces) {
    let at = 0
    if (piece.isSecret) out.push({ ...piece, isMarked: isSecretNew })
    while (at < piece.text.length) {
      while (left === 0 && word < words.length) left = words[++word]?.text.length ?? 0
      const length = left === 0 ? piece.text.length - at : Math.min(left, piece.text.length - at)
      const isMarked = words[word]?.changed ?? false
      const text = piece.text.slice(at, at + length)
      if (!piece.isSecret) out.push({ ...piece, text, isMarked })
      at += length
      left = Math.max(0, left - length)
    }
  }
  return out
}
