/** Elements that hold most of a configuration, and that people know by name. */
const LARGE = new Set(['pipeline', 'stage', 'job', 'agent', 'environment'])

/**
 * Finds the ends of large elements without scanning their content. It gives up where comments or
 * CDATA could mislead it, so its results are always right.
 */
export class WholeElements {
  readonly #text: string
  #nextMarkup = -1

  constructor(text: string) {
    this.#text = text
  }

  /** The end of the element of that name whose opening tag is at `start`; null when it cannot be found this way. */
  endOf(
    name: string,
    { start, end }: { readonly start: number; readonly end: number },
  ): number | null {
    if (!LARGE.has(name)) return null
    const text = this.#text
    const close = `</${name}>`
    const place = text.indexOf(close, end)
    if (place === -1 || this.#markupAfter(start) < place) return null
    const nested = text.indexOf(`<${name}`, end)
    return nested !== -1 && nested < place ? null : place + close.length
  }

  /** The next comment or CDATA section. */
  #markupAfter(start: number): number {
    if (this.#nextMarkup < start) {
      const place = this.#text.indexOf('<!', start)
      this.#nextMarkup = place === -1 ? Infinity : place
    }
    return this.#nextMarkup
  }
}
