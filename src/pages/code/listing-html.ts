import { type MarkedPiece, markWords } from './rows.ts'
import { lineText, type ShownLine } from './line-pieces.ts'
import type { BlameRun } from '../revisions/blame.ts'
import type { WordPiece } from '../../diff/word-diff.ts'
import type { TokenKind } from '../../document/highlight/xml-scanner.ts'
import { codeHtml } from './code-html.ts'
import { escapeHtml } from '../kit/escape.ts'
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
/** The elements of a line and of the start of a run of lines, without colours. */
const PER_LINE = 2
const PER_RUN = 3

/** The tokens in colour, from all on to those that take the fewest elements. */
const COLOURS: readonly ReadonlySet<TokenKind>[] = [
  new Set(['tag', 'attribute', 'value', 'comment']),
  new Set(['tag', 'value', 'comment']),
  new Set(['tag', 'comment']),
  new Set(['comment']),
]

/** The most colours with which all lines stay within the limit. */
function coloursFor(
  lines: readonly ShownLine[],
  { runs }: ListingOptions,
): ReadonlySet<TokenKind> | undefined {
  const room = MAX_ELEMENTS - PER_LINE * lines.length - PER_RUN * runs.length
  const tokens = lines.flatMap(({ pieces }) => pieces.flatMap(({ token }) => token ?? []))
  const fits = (colours: ReadonlySet<TokenKind>) =>
    tokens.filter((token) => colours.has(token)).length <= room
  return COLOURS.find(fits) ?? COLOURS.at(-1)
}

/** The number of lines in one block, which the browser lays out only once visible. */
const BLOCK = 100

/**
 * The lines of a document, each with its number as a link to itself, in as few elements as
 * possible. The numbers are no tab stops: there are as many as lines.
 */
export function listingHtml(lines: readonly ShownLine[], options: ListingOptions): string {
  const runs = new Map(options.runs.map((run) => [run.first, run]))
  const coloured = coloursFor(lines, options)
  let run: BlameRun | null = null
  let html = '<div class="block">'
  for (const [n, line] of lines.entries()) {
    const number = options.first + n
    const begins = runs.get(number) ?? null
    run = begins ?? run
    if (n > 0 && n % BLOCK === 0) html += '</div><div class="block">'
    html += lineHtml(line, number, { run, begins: begins !== null, coloured }, options)
  }
  return `${html}</div>`
}

interface LineLook {
  readonly run: BlameRun | null
  /** Whether the run begins with the line. */
  readonly begins: boolean
  readonly coloured: ReadonlySet<TokenKind> | undefined
}

function lineHtml(
  line: ShownLine,
  number: number,
  { run, begins, coloured }: LineLook,
  options: ListingOptions,
): string {
  const shade = run === null ? '' : ` s${run.shade}${begins ? ' run' : ''}`
  const by = run !== null && begins ? blameHtml(run, options) : ''
  const pieces = markedPieces(line, options.find?.toLowerCase() ?? '')
  const cell = { number, pieces, lacksLineFeed: line.lacksLineFeed }
  const code = codeHtml(cell, { spoken: 'found', isLong: true, unfold: null, coloured })
  const address = escapeHtml(options.addressOf(number))
  return `<div class="l${shade}" id="L${number}">${by}<a class="n" tabindex="-1" href="${address}">${number}</a>${code}\n</div>`
}

function blameHtml({ revision }: BlameRun, { linkOf, now }: ListingOptions): string {
  const { number, who, time } = revision
  const title = escapeHtml(`${who}, ${exactTime(time)}`)
  return (
    `<span class="by" title="${title}"><a href="${escapeHtml(linkOf(revision))}">r${number}</a> ` +
    `${escapeHtml(who)} · ${agoHtml(time, now)}</span>`
  )
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
