import { performance } from 'node:perf_hooks'
import { ServiceError } from '../core/errors.ts'

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
 * Lets one writer at a time through, in the order in which they came. A job
 * that fails tells its own caller and nobody else.
 */
export class WriterQueue implements AsyncDisposable {
  #last: Promise<unknown> = Promise.resolve()
  #closed = false
  #waiting = 0
  #served = 0
  #waited = 0

  /** @throws {ServiceError} `unavailable` once the queue is closed. */
  async run<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#closed) {
      const reason = 'The service is stopping'
      throw new ServiceError('unavailable', reason, { reason })
    }
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
