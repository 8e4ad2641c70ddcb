import { elementOf, findAll } from '../../kit/client/dom.ts'

/** Lines and ranges of lines in the address: `#R72` and `#R72-R76`. */
const LINES = /^#([LR])(\d+)(?:-\1(\d+))?$/
const MAX_LINES = 5_000

/** Marks the lines that the address names. Shift and a click select a range. */
export function watchLineRanges(): void {
  addEventListener('hashchange', showRange)
  showRange()
  document.addEventListener('click', (event) => {
    const link = elementOf(event)?.closest<HTMLAnchorElement>('.n a, a.n')
    const [, side, from] = LINES.exec(location.hash) ?? []
    if (!link || !event.shiftKey || side === undefined || link.hash[1] !== side) return
    event.preventDefault()
    location.hash = `#${side}${from}-${link.hash.slice(1)}`
  })
}

function showRange(): void {
  for (const row of findAll('.chosen')) row.classList.remove('chosen')
  const [, side, from, to = from] = LINES.exec(location.hash) ?? []
  if (!side) return
  const [low, high] = [Math.min(Number(from), Number(to)), Math.max(Number(from), Number(to))]
  for (let line = low; line <= Math.min(high, low + MAX_LINES); line++) {
    document.getElementById(`${side}${line}`)?.closest('td, .l')?.classList.add('chosen')
  }
  document.getElementById(`${side}${low}`)?.scrollIntoView({ block: 'center' })
}
