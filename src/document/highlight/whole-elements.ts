/** Elements that hold most of a configuration, and that people know by name. */
const LARGE = new Set(['pipeline', 'stage', 'job', 'agent', 'environment'])

/**
 * Finds the ends of large elements without looking at what is in them. It gives up where comments
 * or CDATA could deceive it, so what it tells is always so.
 */
export class WholeElements {
  readonly #text: string
  #nextMarkup = -1

  constructor(text: string) {
    this.#text = text
  }

  /** Where the element ends whose opening tag, named so, stands at `start`; null when that is not easily told. */
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
