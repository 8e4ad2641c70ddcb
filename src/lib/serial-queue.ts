/** How busy a queue is. */
export interface QueueLoad {
  /** Jobs that wait or run. */
  readonly waiting: number
  /** Jobs that have had their turn. */
  readonly served: number
  /** How long those waited for it, together. */
  readonly waitedSeconds: number
}

/**
 * Runs one job at a time, in the order in which they came. The failure of a job is its own caller's
 * and nobody else's.
 */
export class SerialQueue implements AsyncDisposable {
  readonly #refusal: () => Error
  #last: Promise<unknown> = Promise.resolve()
  #closed = false
  #waiting = 0
  #served = 0
  #waited = 0

  /** @param refusal makes the error for jobs that come once the queue is closed. */
  constructor(refusal: () => Error = () => new Error('the queue is closed')) {
    this.#refusal = refusal
  }

  /** @throws what the job throws, or the queue's refusal once it is closed. */
  async run<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#closed) throw this.#refusal()
    const asked = performance.now()
    this.#waiting += 1
    const turn = this.#last.then(() => {
      this.#served += 1
      this.#waited += performance.now() - asked
      return job()
    })
    this.#last = turn.then(this.#ended, this.#ended)
    return turn
  }

  load(): QueueLoad {
    return {
      waiting: this.#waiting,
      served: this.#served,
      waitedSeconds: this.#waited / 1_000,
    }
  }

  /** Takes no new jobs, and returns once every accepted one has ended. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#last
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  readonly #ended = () => {
    this.#waiting -= 1
  }
}
