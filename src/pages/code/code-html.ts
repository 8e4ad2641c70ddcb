import type { Cell, MarkedPiece } from './rows.ts'
import type { TokenKind } from '../../document/highlight/xml-scanner.ts'
import { escapeHtml, withNamedCharacters } from '../kit/words/escape.ts'

/**
 * Characters that make text look different from what it is: controls, bidirectional and invisible
 * ones.
 */
const ODD = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const ODD_ONE = /(?!\t)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const TAGS = { added: 'ins', removed: 'del', found: 'mark' } as const
const CLASSES = { tag: 't', attribute: 'a', value: 'v', comment: 'c' } as const

/** Lines up to this length are shown in full. */
const MAX_LINE_LENGTH = 5_000
/** The same limit for lines that are unfolded. */
const MAX_UNFOLDED_LENGTH = 100_000
const HEAD = 300
const AROUND = 600

export interface CodeOptions {
  /** The meaning of marked words; null when none are marked. */
  readonly spoken: 'added' | 'removed' | 'found' | null
  readonly isLong: boolean
  /** The address that shows the line in full, or null. */
  readonly unfold: string | null
  /** The tokens in colour; all when absent. */
  readonly coloured?: ReadonlySet<TokenKind> | undefined
}

/** A line of code as HTML. Every text of a configuration is escaped here and nowhere else. */
export function codeHtml(line: Cell, options: CodeOptions): string {
  const isChanged = options.spoken === 'added' || options.spoken === 'removed'
  const cell = isChanged ? line : withoutCarriageReturn(line)
  const length = cell.pieces.reduce((sum, { text }) => sum + text.length, 0)
  const limit = options.isLong ? MAX_UNFOLDED_LENGTH : MAX_LINE_LENGTH
  const code = length > limit ? folded(cell.pieces, options) : piecesHtml(cell.pieces, options)
  const end =
    cell.lacksLineFeed && isChanged ? '<span class="note">no line feed at the end</span>' : ''
  return code + end
}

/** A line as it is shown where its end did not change: in a file of CR LF, each would be marked otherwise. */
function withoutCarriageReturn(cell: Cell): Cell {
  const last = cell.pieces.at(-1)
  if (last?.text.endsWith('\r') !== true) return cell
  const shown = { ...last, text: last.text.slice(0, -1) }
  return { ...cell, pieces: [...cell.pieces.slice(0, -1), shown] }
}

/** An upper bound of the elements in the code of a line, which is folded where it is long. */
export function elementsOf({ pieces }: Cell): number {
  const length = pieces.reduce((sum, { text }) => sum + text.length, 0)
  if (length > MAX_LINE_LENGTH) return 3 * (HEAD + AROUND)
  return pieces.reduce((sum, { text }) => sum + 2 + (text.match(ODD_ONE)?.length ?? 0), 0)
}

function piecesHtml(pieces: readonly MarkedPiece[], options: CodeOptions): string {
  let html = ''
  for (let n = 0; n < pieces.length; n++) {
    const piece = pieces[n]
    if (!piece) continue
    if (!piece.isMarked || options.spoken === null) {
      html += pieceHtml(piece, options)
      continue
    }
    const tag = TAGS[options.spoken]
    let inner = pieceHtml(piece, options)
    while (pieces[n + 1]?.isMarked === true) inner += pieceHtml(pieces[++n], options)
    html += `<${tag}>${inner}</${tag}>`
  }
  return html
}

function pieceHtml(piece: MarkedPiece | undefined, { coloured }: CodeOptions): string {
  if (!piece) return ''
  const text = ODD.test(piece.text)
    ? withNamedCharacters(piece.text, ODD_ONE)
    : escapeHtml(piece.text)
  if (piece.isSecret) return `<span class="secret">${text}</span>`
  const { token } = piece
  if (token === null || coloured?.has(token) === false) return text
  return `<span class="${CLASSES[token]}">${text}</span>`
}

/** The start of a long line, its first change, and a link to the rest. */
function folded(pieces: readonly MarkedPiece[], options: CodeOptions): string {
  const places = startsOf(pieces)
  const firstMark = pieces.findIndex(({ isMarked }) => isMarked)
  const from = Math.max(HEAD, (places[firstMark] ?? 0) - HEAD)
  const length = (places.at(-1) ?? 0) + (pieces.at(-1)?.text.length ?? 0)
  const head = piecesHtml(part(pieces, places, 0, HEAD), options)
  const middle = piecesHtml(part(pieces, places, from, from + AROUND), options)
  const skipped = from > HEAD ? foldHtml(from - HEAD, options) : ''
  return head + skipped + middle + foldHtml(Math.max(0, length - from - AROUND), options)
}

function foldHtml(count: number, { unfold }: CodeOptions): string {
  if (count === 0) return ''
  const words = `… ${count.toLocaleString('en')} characters …`
  return unfold === null
    ? `<span class="note">${words}</span>`
    : `<a class="note" href="${escapeHtml(unfold)}">${words}</a>`
}

function startsOf(pieces: readonly MarkedPiece[]): number[] {
  let at = 0
  return pieces.map(({ text }) => {
    at += text.length
    return at - text.length
  })
}

function part(
  pieces: readonly MarkedPiece[],
  starts: readonly number[],
  from: number,
  to: number,
): MarkedPiece[] {
  return pieces.flatMap((piece, n) => {
    const start = starts[n] ?? 0
    const text = piece.text.slice(Math.max(0, from - start), Math.max(0, to - start))
    return text === '' ? [] : [{ ...piece, text }]
  })
}
