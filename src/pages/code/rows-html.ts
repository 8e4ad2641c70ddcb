import type { BlockRows, Cell, Row } from './rows.ts'
import { codeHtml } from './code-html.ts'

export interface RowsOptions {
  readonly isLong: boolean
  /** The address that shows folded lines in full; null where there is none. */
  readonly unfold: string | null
  /** The targets of links: changes, their lines too, or nothing when a page has several diffs. */
  readonly anchors: 'lines' | 'changes' | 'none'
}

type Side = 'before' | 'after'

const PREFIX = { before: 'L', after: 'R' } as const

/** Rows with both texts side by side; those of one change are a body of the table. */
export function splitRows(blocks: readonly BlockRows[], options: RowsOptions): string {
  let html = ''
  for (const block of blocks) {
    const isChanged = block.change !== null
    html += `<tbody${attributesOf(block, options)}>`
    for (const { before, after } of block.rows) {
      html += `<tr>${cellHtml(before, 'before', isChanged, options)}${cellHtml(after, 'after', isChanged, options)}</tr>`
    }
    html += '</tbody>'
  }
  return html
}

/** Rows of one column: removed lines above added ones. */
export function unifiedRows(blocks: readonly BlockRows[], options: RowsOptions): string {
  let html = ''
  for (const block of blocks) {
    const { change, rows } = block
    const lines = change === null ? rows.map((row) => same(row, options)) : changed(rows, options)
    const body = lines.map((line) => `<tr>${line}</tr>`).join('')
    html += `<tbody${attributesOf(block, options)}>${body}</tbody>`
  }
  return html
}

/** A change has an anchor where it begins. */
function attributesOf({ change, isContinued }: BlockRows, { anchors }: RowsOptions): string {
  if (change === null) return ''
  const isNamed = !isContinued && anchors !== 'none'
  return isNamed ? ` class="change" id="c${change}"` : ' class="change"'
}

function same({ before, after }: Row, options: RowsOptions): string {
  const code = after === null ? '' : codeHtml(after, { ...options, spoken: null })
  return `${numberHtml(before, 'L', options)}${numberHtml(after, 'R', options)}<td class="c">${code}</td>`
}

function changed(rows: readonly Row[], options: RowsOptions): string[] {
  const removed = rows.flatMap(({ before }) => before ?? [])
  const added = rows.flatMap(({ after }) => after ?? [])
  return [
    ...removed.map(
      (cell) =>
        `${numberHtml(cell, 'L', options, ' del')}<td class="n del"></td>${changedCode(cell, 'before', options)}`,
    ),
    ...added.map(
      (cell) =>
        `<td class="n ins"></td>${numberHtml(cell, 'R', options, ' ins')}${changedCode(cell, 'after', options)}`,
    ),
  ]
}

function cellHtml(cell: Cell | null, side: Side, isChanged: boolean, options: RowsOptions): string {
  if (cell === null) return '<td class="n"></td><td class="c empty"></td>'
  if (!isChanged) {
    const code = codeHtml(cell, { ...options, spoken: null })
    return `${numberHtml(cell, PREFIX[side], options)}<td class="c">${code}</td>`
  }
  const kind = side === 'before' ? ' del' : ' ins'
  return `${numberHtml(cell, PREFIX[side], options, kind)}${changedCode(cell, side, options)}`
}

function changedCode(cell: Cell, side: Side, options: RowsOptions): string {
  const spoken = side === 'before' ? 'removed' : 'added'
  const kind = side === 'before' ? 'del' : 'ins'
  const code = codeHtml(cell, { ...options, spoken })
  return `<td class="c ${kind}"><span class="visually-hidden">${spoken}: </span>${code}</td>`
}

function numberHtml(
  cell: Cell | null,
  prefix: 'L' | 'R',
  { anchors }: RowsOptions,
  kind = '',
): string {
  if (cell === null) return `<td class="n${kind}"></td>`
  const { number } = cell
  if (anchors !== 'lines') return `<td class="n${kind}"><span>${number}</span></td>`
  const id = `${prefix}${number}`
  return `<td class="n${kind}"><a id="${id}" href="#${id}" tabindex="-1">${number}</a></td>`
}
