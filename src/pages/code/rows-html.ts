import type { BlockRows, Cell, Row } from './rows.ts'
import { codeHtml } from './code-html.ts'

export interface RowsOptions {
  readonly isLong: boolean
  /** The address that shows folded lines in full; null where there is none. */
  readonly unfold: string | null
  /** What can be linked to: changes, their lines too, or nothing where a page has several diffs. */
  readonly anchors: 'lines' | 'changes' | 'none'
}

type Side = 'before' | 'after'

const PREFIX = { before: 'L', after: 'R' } as const

/** Rows with both texts side by side. */
export function splitRows(blocks: readonly BlockRows[], options: RowsOptions): string {
  let html = ''
  for (const { change, isContinued, rows } of blocks) {
    for (const [n, row] of rows.entries()) {
      const anchor = n === 0 ? anchorOf({ change, isContinued }, options) : ''
      const isChanged = change !== null
      html += `<tr${anchor}>${cellHtml(row.before, 'before', isChanged, options)}${cellHtml(row.after, 'after', isChanged, options)}</tr>`
    }
  }
  return html
}

/** Rows of one column: removed lines above added ones. */
export function unifiedRows(blocks: readonly BlockRows[], options: RowsOptions): string {
  let html = ''
  for (const { change, isContinued, rows } of blocks) {
    const anchor = anchorOf({ change, isContinued }, options)
    const lines = change === null ? rows.map((row) => same(row, options)) : changed(rows, options)
    html += lines.map((line, n) => `<tr${n === 0 ? anchor : ''}>${line}</tr>`).join('')
  }
  return html
}

function anchorOf(
  { change, isContinued }: Pick<BlockRows, 'change' | 'isContinued'>,
  { anchors }: RowsOptions,
): string {
  return change === null || isContinued || anchors === 'none'
    ? ''
    : ` id="c${change}" class="first"`
}

function same({ before, after }: Row, options: RowsOptions): string {
  const code = after === null ? '' : codeHtml(after, { ...options, spoken: null })
  return `${numberHtml(before, 'L', options)}${numberHtml(after, 'R', options)}<td class="c">${code}</td>`
}

function changed(rows: readonly Row[], options: RowsOptions): string[] {
  const removed = rows.flatMap(({ before }) =>
    before === null
      ? []
      : [
          `${numberHtml(before, 'L', options, ' del')}<td class="n del"></td>${changedCode(before, 'before', options)}`,
        ],
  )
  const added = rows.flatMap(({ after }) =>
    after === null
      ? []
      : [
          `<td class="n ins"></td>${numberHtml(after, 'R', options, ' ins')}${changedCode(after, 'after', options)}`,
        ],
  )
  return [...removed, ...added]
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
  return `<td class="n${kind}"><a id="${id}" href="#${id}">${number}</a></td>`
}
