/** Growing pauses between attempts, with jitter, so that many agents do not come back at once. */
export class Backoff {
  readonly #fromMs: number
  readonly #toMs: number
  readonly #random: () => number
  #attempt = 0

  constructor({ fromMs, toMs }: { fromMs: number; toMs: number }, random = Math.random) {
    this.#fromMs = fromMs
    this.#toMs = toMs
    this.#random = random
  }

  /** The next pause: between half and all of a length that doubles up to its limit. */
  next(): number {
    const full = Math.min(this.#toMs, this.#fromMs * 2 ** this.#attempt)
    this.#attempt = Math.min(this.#attempt + 1, 30)
    return full * (0.5 + this.#random() / 2)
  }

  reset(): void {
    this.#attempt = 0
  }
}
