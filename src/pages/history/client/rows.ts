import { find, findAll, findInput } from '../../kit/client/dom.ts'
import { keepChosen, type ComparisonSide } from './chosen.ts'

/** The current row for the keyboard shortcuts. */
export function currentRow(): HTMLElement | null {
  return find('tr.revision[aria-current]')
}

/** Moves the focus to the next or previous row of a list whose rows are opened by a link. */
function moveLink(step: number): void {
  const links = findAll('.row-link').filter((link) => link.checkVisibility())
  const place = links.findIndex((link) => link === document.activeElement)
  const link = links[Math.max(0, Math.min(links.length - 1, place + step))]
  link?.focus()
}

/** Moves the current row down, or up. */
export function moveRow(step: number): void {
  const rows = findAll('tr.revision')
  if (rows.length === 0) return moveLink(step)
  const current = currentRow()
  const place = current === null ? -1 : rows.indexOf(current)
  const row = rows[Math.max(0, Math.min(rows.length - 1, place + step))]
  if (!row) return
  current?.removeAttribute('aria-current')
  row.setAttribute('aria-current', 'true')
  find('.number', row)?.focus({ preventScroll: true })
  row.scrollIntoView({ block: 'nearest' })
}

/** Chooses the current row for a side of the comparison. */
export function chooseRow(side: ComparisonSide): void {
  const row = currentRow()
  const input = row && findInput(`input[name=${side}]`, row)
  if (!input) return
  input.checked = true
  keepChosen()
}
