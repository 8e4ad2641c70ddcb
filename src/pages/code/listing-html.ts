import type { ShownLine } from './line-pieces.ts'
import type { BlameRun } from '../revisions/blame.ts'
import { codeHtml } from './code-html.ts'
import { escapeHtml } from '../frame/escape.ts'
import { exactTime, relativeTime } from '../frame/when.tsx'

export interface ListingOptions {
  /** The number of the first line. */
  readonly first: number
  readonly runs: readonly BlameRun[]
  readonly now: number
  readonly linkOf: (revision: BlameRun['revision']) => string
}

/** The number of lines in one block, which the browser lays out only once visible. */
const BLOCK = 100

/**
 * The lines of a document, each with its number as a link to itself, in as few elements as
 * possible.
 */
export function listingHtml(lines: readonly ShownLine[], options: ListingOptions): string {
  const runs = new Map(options.runs.map((run) => [run.first, run]))
  let run: BlameRun | null = null
  let html = '<div class="block">'
  for (const [n, line] of lines.entries()) {
    const number = options.first + n
    const begins = runs.get(number) ?? null
    run = begins ?? run
    if (n > 0 && n % BLOCK === 0) html += '</div><div class="block">'
    html += lineHtml(line, number, { run, begins: begins !== null }, options)
  }
  return `${html}</div>`
}

function lineHtml(
  line: ShownLine,
  number: number,
  { run, begins }: { run: BlameRun | null; begins: boolean },
  options: ListingOptions,
): string {
  const shade = run === null ? '' : ` s${run.shade}${begins ? ' run' : ''}`
  const by = run !== null && begins ? blameHtml(run, options) : ''
  const pieces = line.pieces.map((piece) => ({ ...piece, isMarked: false }))
  const cell = { number, pieces, lacksLineFeed: line.lacksLineFeed }
  const code = codeHtml(cell, { spoken: null, isLong: true, unfold: '' })
  const id = `L${number}`
  return `<div class="l${shade}" id="${id}">${by}<a class="n" href="#${id}">${number}</a>${code}\n</div>`
}

function blameHtml({ revision }: BlameRun, { linkOf, now }: ListingOptions): string {
  const { number, who, time, subject } = revision
  const title = escapeHtml(`${who}, ${exactTime(time)}: ${subject}`)
  return (
    `<span class="by" title="${title}"><a href="${escapeHtml(linkOf(revision))}">r${number}</a> ` +
    `${escapeHtml(who)} · ${escapeHtml(relativeTime(time, now))}</span>`
  )
}
