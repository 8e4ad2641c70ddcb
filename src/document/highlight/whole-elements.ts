/** Elements that hold most of a configuration, and that people know by name. */
const LARGE = new Set(['pipeline', 'stage', 'job', 'agent', 'environment'])

/**
 * Finds the ends of large elements without scanning their content. It gives up where comments or
 * CDATA could mislead it, so its results are always right.
 */
export class WholeElements {
  readonly #text: string
  /** The place of each text that was looked for, and the one from which on it is the first. */
  readonly #places = new Map<string, { readonly from: number; readonly place: number }>()

  constructor(text: string) {
    this.#text = text
  }

  /** The end of the element of that name whose opening tag is at `start`; null when it cannot be found this way. */
  endOf(
    name: string,
    { start, end }: { readonly start: number; readonly end: number },
  ): number | null {
    if (!LARGE.has(name)) return null
    const close = `</${name}>`
    const place = this.#next(close, end)
    if (place === Infinity || this.#next('<!', start) < place) return null
    return this.#next(`<${name}`, end) < place ? null : place + close.length
  }

  /** The next place of a text. The one that was found last is often it, so that a text is gone through once. */
  #next(wanted: string, start: number): number {
    const known = this.#places.get(wanted)
    if (known && known.from <= start && start <= known.place) return known.place
    const found = this.#text.indexOf(wanted, start)
    const place = found === -1 ? Infinity : found
    this.#places.set(wanted, { from: start, place })
    return place
  }
}
