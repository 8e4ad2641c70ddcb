export interface QueueLoad {
  /** Jobs that wait or run. */
  readonly waiting: number
  /** Jobs that have been started. */
  readonly served: number
  /** The total time that these jobs waited. */
  readonly waitedSeconds: number
}

/** Runs one job at a time, in order. The failure of a job affects only its own caller. */
export class SerialQueue implements AsyncDisposable {
  readonly #refusal: () => Error
  #last: Promise<unknown> = Promise.resolve()
  #closed = false
  #waiting = 0
  #served = 0
  #waited = 0

  /** @param refusal creates the error for jobs after the queue is closed. */
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

  /** Accepts no new jobs, and returns once every accepted one has ended. */
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
