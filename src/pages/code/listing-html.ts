import { type MarkedPiece, markWords } from './rows.ts'
import { lineText, type ShownLine } from './line-pieces.ts'
import type { BlameRun } from '../revisions/blame.ts'
import type { WordPiece } from '../../diff/word-diff.ts'
import type { TokenKind } from '../../document/highlight/xml-scanner.ts'
import { codeHtml } from './code-html.ts'
import { escapeHtml } from '../kit/words/escape.ts'
import { agoHtml, exactTime } from '../kit/when.tsx'

export interface ListingOptions {
  /** The number of the first line. */
  readonly first: number
  readonly runs: readonly BlameRun[]
  readonly now: number
  readonly linkOf: (revision: BlameRun['revision']) => string
  /** The permanent address of a line. */
  readonly addressOf: (line: number) => string
  /** The text to mark, ignoring case; empty for none. */
  readonly find?: string
}

/** The limit of elements in a listing, which leaves room for the page around it. */
const MAX_ELEMENTS = 11_000
/** The elements of a line with its number as a link, and of one beside the authors. */
const PER_LINKED_LINE = 2
const PER_BLAMED_LINE = 1
/** The elements that name a revision with its age, and without. */
const PER_LABEL = 3
const PER_SHORT_LABEL = 2

/** The tokens in colour, from all on to those that take the fewest elements. */
const COLOURS: readonly ReadonlySet<TokenKind>[] = [
  new Set(['tag', 'attribute', 'value', 'comment']),
  new Set(['tag', 'value', 'comment']),
  new Set(['tag', 'comment']),
  new Set(['comment']),
]

/** The most colours for which there is room. */
function coloursFor(lines: readonly ShownLine[], room: number): ReadonlySet<TokenKind> | undefined {
  const tokens = lines.flatMap(({ pieces }) => pieces.flatMap(({ token }) => token ?? []))
  const fits = (colours: ReadonlySet<TokenKind>) =>
    tokens.filter((token) => colours.has(token)).length <= room
  return COLOURS.find(fits) ?? COLOURS.at(-1)
}

/** The number of lines in one block, which the browser lays out only once visible. */
const BLOCK = 100

/**
 * The lines of a document in as few elements as possible: with their authors, or each with its
 * number as a link to itself. The numbers are no tab stops: there are as many as lines.
 */
export function listingHtml(lines: readonly ShownLine[], options: ListingOptions): string {
  return options.runs.length > 0 ? blamedHtml(lines, options) : linkedHtml(lines, options)
}

function linkedHtml(lines: readonly ShownLine[], options: ListingOptions): string {
  const coloured = coloursFor(lines, MAX_ELEMENTS - PER_LINKED_LINE * lines.length)
  let html = '<div class="block">'
  for (const [n, line] of lines.entries()) {
    const number = options.first + n
    const address = escapeHtml(options.addressOf(number))
    const code = lineHtml(line, number, coloured, options)
    if (n > 0 && n % BLOCK === 0) html += '</div><div class="block">'
    html += `<div class="l" id="L${number}"><a class="n" tabindex="-1" href="${address}">${number}</a>${code}\n</div>`
  }
  return `${html}</div>`
}

/**
 * Lines below the revision that wrote them. The browser counts the lines: a number as a link would
 * be half of the page. Each block repeats its first revision, which stays visible beside its lines.
 */
function blamedHtml(lines: readonly ShownLine[], options: ListingOptions): string {
  const runs = new Map(options.runs.map((run) => [run.first, run]))
  const labels = runs.size + Math.ceil(lines.length / BLOCK)
  const left = MAX_ELEMENTS - PER_BLAMED_LINE * lines.length
  const hasAges = left >= PER_LABEL * labels
  const room = left - (hasAges ? PER_LABEL : PER_SHORT_LABEL) * labels
  const coloured = coloursFor(lines, room)
  let run: BlameRun | null = null
  let html = '<ol class="block">'
  for (const [n, line] of lines.entries()) {
    const number = options.first + n
    const begins = runs.get(number)
    run = begins ?? run
    if (n > 0 && n % BLOCK === 0) html += '</ol><ol class="block">'
    if (begins || n % BLOCK === 0) {
      html += labelHtml(run, { before: number, hasAge: hasAges }, options)
    }
    const code = lineHtml(line, number, coloured, options)
    html += `<li class="l s${run?.shade ?? 0}" id="L${number}">${code}\n</li>`
  }
  return `${html}</ol>`
}

/** The revision of the lines that follow; its number is that of the line before, so that these count on. */
function labelHtml(
  run: BlameRun | null,
  { before, hasAge }: { readonly before: number; readonly hasAge: boolean },
  { linkOf, now }: ListingOptions,
): string {
  if (run === null) return `<li class="by" value="${before - 1}"></li>`
  const { number, who, time } = run.revision
  const title = escapeHtml(`${who}, ${exactTime(time)}`)
  const age = hasAge ? ` · ${agoHtml(time, now)}` : ''
  return (
    `<li class="by" value="${before - 1}" title="${title}">` +
    `<a href="${escapeHtml(linkOf(run.revision))}">r${number}</a> ${escapeHtml(who)}${age}</li>`
  )
}

function lineHtml(
  line: ShownLine,
  number: number,
  coloured: ReadonlySet<TokenKind> | undefined,
  { find = '' }: ListingOptions,
): string {
  const pieces = markedPieces(line, find.toLowerCase())
  const cell = { number, pieces, lacksLineFeed: line.lacksLineFeed }
  return codeHtml(cell, { spoken: 'found', isLong: true, unfold: null, coloured })
}

/** Marks where the text is; a hidden secret is never marked. */
function markedPieces(line: ShownLine, wanted: string): readonly MarkedPiece[] {
  const words = wanted === '' ? [] : wordsAround(lineText(line), wanted)
  return markWords(line, words, false)
}

/** The text cut where the wanted one starts and ends. */
function wordsAround(text: string, wanted: string): WordPiece[] {
  const words: WordPiece[] = []
  const folded = text.toLowerCase()
  let from = 0
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, from)) {
    words.push({ text: text.slice(from, at), changed: false })
    from = at + wanted.length
    words.push({ text: text.slice(at, from), changed: true })
  }
  return [...words, { text: text.slice(from), changed: false }]
}
