import { elementOf, findAll } from '../../kit/client/dom.ts'

/** The bar of days that a pointer is on. */
function barOf(event: Event): HTMLElement | null {
  return elementOf(event)?.closest<HTMLElement>('.bars li') ?? null
}

/** The bars from one to another, in whatever order these are. */
function between(one: HTMLElement, other: HTMLElement): HTMLElement[] {
  const bars = findAll('.bars li')
  const [low = 0, high = 0] = [bars.indexOf(one), bars.indexOf(other)].toSorted((a, b) => a - b)
  return bars.slice(low, high + 1)
}

/** A time on the clock of the reader, as an address has it. */
function momentOf(local: string): string {
  return new Date(local).toISOString()
}

/** Narrows the history to the days over which the pointer is drawn. A click on a bar stays a click. */
export function watchDayBars(): void {
  let start: HTMLElement | null = null
  document.addEventListener('pointerdown', (event) => {
    start = event.button === 0 ? barOf(event) : null
  })
  document.addEventListener('pointerover', (event) => {
    const bar = barOf(event)
    if (start === null || bar === null) return
    for (const each of findAll('.bars .drawn')) each.classList.remove('drawn')
    for (const each of between(start, bar)) each.classList.add('drawn')
  })
  document.addEventListener('pointerup', (event) => {
    const [from, bar] = [start, barOf(event)]
    start = null
    for (const each of findAll('.bars .drawn')) each.classList.remove('drawn')
    if (from === null || bar === null || bar === from) return
    const drawn = between(from, bar)
    const address = new URL(location.href)
    address.hash = ''
    address.searchParams.delete('offset')
    address.searchParams.set('since', momentOf(`${drawn[0]?.dataset['from']}T00:00`))
    address.searchParams.set('until', momentOf(`${drawn.at(-1)?.dataset['to']}T23:59:59.999`))
    location.assign(address)
  })
}
