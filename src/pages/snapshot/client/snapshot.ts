import { watchOutlineFilter } from './outline-filter.ts'
import { showPathOfTopLine } from './outline-path.ts'
import { elementOf, find, findAll } from '../../kit/client/dom.ts'

type Move = (at: number, last: number) => number

const MOVES: ReadonlyMap<string, Move> = new Map<string, Move>([
  ['ArrowDown', (at, last) => Math.min(last, at + 1)],
  ['ArrowUp', (at) => Math.max(0, at - 1)],
  ['Home', () => 0],
  ['End', (_, last) => last],
])

showPathOfTopLine()
watchOutlineFilter()
watchOutlineKeys()
keepPermanentAddress()
linkCountedLines()
arriveAtLine()
addEventListener('hashchange', arriveAtLine)

/** Opens the part of the file that has the line in the address, where this page has another part. */
function arriveAtLine(): void {
  const line = /^#L(\d+)/.exec(location.hash)?.[1]
  const lines = Number(find('#path')?.dataset['lines'])
  if (line === undefined || Number(line) > lines || find(`#L${line}`) !== null) return
  const address = new URL(location.href)
  address.searchParams.set('line', line)
  location.replace(address)
}

/**
 * Turns the address of the current configuration into that of its revision as soon as it names a
 * line, without loading the page again: after the next save, the line would be another one.
 */
function keepPermanentAddress(): void {
  const address = find('.snapshot')?.dataset['address']
  if (address === undefined) return
  const permanent = new URL(address, location.href).href
  const settle = () => {
    if (location.hash !== '') history.replaceState(null, '', permanent + location.hash)
  }
  addEventListener('hashchange', settle)
  settle()
  document.addEventListener('click', (event) => {
    const link = elementOf(event)?.closest('a')
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
    if (!link || link.hash === '' || !isPlain || link.href !== permanent + link.hash) return
    event.preventDefault()
    location.hash = link.hash
  })
}

/** Has a click on a number that the browser counted lead to its line, and with Shift to a range. */
function linkCountedLines(): void {
  find('.blamed')?.addEventListener('click', (event) => {
    const line = elementOf(event)
    if (!line?.matches('.l') || event.offsetX > parseFloat(getComputedStyle(line).paddingLeft))
      return
    const from = event.shiftKey ? /^#L\d+/.exec(location.hash)?.[0] : undefined
    location.hash = from === undefined ? line.id : `${from}-${line.id}`
  })
}

/** Makes the outline a single tab stop, in which the arrow keys move. */
function watchOutlineKeys(): void {
  const outline = find('.outline')
  if (!outline) return
  for (const place of placesIn(outline).slice(1)) place.tabIndex = -1
  outline.addEventListener('focusin', (event) => {
    const place = elementOf(event)?.closest<HTMLElement>('a, summary')
    if (place) makeStop(outline, place)
  })
  outline.addEventListener('keydown', (event) => {
    const place = elementOf(event)?.closest<HTMLElement>('a, summary')
    const move = MOVES.get(event.key)
    if (!place || !move) return
    event.preventDefault()
    const seen = placesIn(outline).filter((each) => each.checkVisibility())
    seen[move(seen.indexOf(place), seen.length - 1)]?.focus()
  })
}

function placesIn(outline: HTMLElement): HTMLElement[] {
  return findAll('a, summary', outline)
}

function makeStop(outline: HTMLElement, place: HTMLElement): void {
  for (const old of placesIn(outline)) old.tabIndex = -1
  place.tabIndex = 0
}
