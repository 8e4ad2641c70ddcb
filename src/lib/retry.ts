import { pause } from './pause.ts'

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

export interface RetryOptions {
  readonly backoff: Backoff
  readonly signal: AbortSignal
  /** Called with each failure; throws an error that must not be retried. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Tries until it succeeds, with growing pauses between.
 *
 * @throws what `onFailure` throws, and the signal's reason once it is aborted.
 */
export async function retry<Answer>(
  attempt: () => Promise<Answer>,
  { backoff, signal, onFailure }: RetryOptions,
): Promise<Answer> {
  for (;;) {
    signal.throwIfAborted()
    try {
      const answer = await attempt()
      backoff.reset()
      return answer
    } catch (error) {
      onFailure(error)
    }
    await pause(backoff.next(), signal)
  }
}

export interface RetryLoopOptions {
  /**
   * Does all pending work; steps that must not be repeated with the rest go through {@link
   * RetryLoop.step}.
   */
  readonly round: (loop: RetryLoop) => Promise<void>
  readonly pauses: { readonly fromMs: number; readonly toMs: number }
  /** The text of a failure. It must not throw: that would end the loop, and with it the process. */
  readonly problemOf: (error: unknown) => string
  /** Called when the problem changes, with null when it is solved. */
  readonly report: (problem: string | null, error: unknown) => void
}

/**
 * Runs a round of work at once and after each `wake()`; a failed round is repeated until it
 * succeeds.
 */
export class RetryLoop implements AsyncDisposable {
  readonly #options: RetryLoopOptions
  readonly #backoff: Backoff
  readonly #end = new AbortController()
  readonly #running: Promise<void>
  #problem: string | null = null
  #isWoken = true
  #wake: () => void = () => {}

  constructor(options: RetryLoopOptions) {
    this.#options = options
    this.#backoff = new Backoff(options.pauses)
    this.#running = this.#run()
  }

  /** Aborted when the loop ends. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** The failure of the last attempt; null after a success. */
  get problem(): string | null {
    return this.#problem
  }

  /** Schedules another round after the current one. */
  wake(): void {
    this.#isWoken = true
    this.#wake()
  }

  /**
   * Repeats a step of a round until it succeeds. @throws the signal's reason when the loop ends.
   */
  step(attempt: () => Promise<void>): Promise<void> {
    const { signal } = this
    const onFailure = (error: unknown) => {
      signal.throwIfAborted()
      this.#become(this.#options.problemOf(error), error)
    }
    return retry(
      async () => {
        await attempt()
        this.#become(null, null)
      },
      { backoff: this.#backoff, signal, onFailure },
    )
  }

  /** Aborts the current attempt and waits for its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort()
    this.#wake()
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      // A round that succeeds after the abort is the last one: nothing wakes the loop any more.
      while (!this.signal.aborted) {
        if (!this.#isWoken) await new Promise<void>((resolve) => (this.#wake = resolve))
        await this.step(() => {
          this.#isWoken = false
          return this.#options.round(this)
        })
      }
    } catch (error) {
      if (!this.signal.aborted) throw error
    }
  }

  #become(problem: string | null, error: unknown): void {
    if (problem !== this.#problem) this.#options.report(problem, error)
    this.#problem = problem
  }
}
