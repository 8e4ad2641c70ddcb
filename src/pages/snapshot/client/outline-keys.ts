import { elementOf, find, findAll } from '../../frame/client/dom.ts'

type Move = (at: number, last: number) => number

const MOVES: ReadonlyMap<string, Move> = new Map<string, Move>([
  ['ArrowDown', (at, last) => Math.min(last, at + 1)],
  ['ArrowUp', (at) => Math.max(0, at - 1)],
  ['Home', () => 0],
  ['End', (_, last) => last],
])

/** Makes the outline a single tab stop, in which the arrow keys move. */
export function watchOutlineKeys(): void {
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
