import { ServiceError } from '../core/errors.ts'

/**
 * Lets one writer at a time through, in the order in which they came. A job
 * that fails tells its own caller and nobody else.
 */
export class WriterQueue implements AsyncDisposable {
  #last: Promise<unknown> = Promise.resolve()
  #closed = false

  /** @throws {ServiceError} `unavailable` once the queue is closed. */
  async run<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#closed) {
      const reason = 'The service is stopping'
      throw new ServiceError('unavailable', reason, { reason })
    }
    const turn = this.#last.then(job)
    this.#last = turn.then(ignore, ignore)
    return turn
  }

  /** Takes no new jobs, and returns once every accepted one has ended. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#last
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function ignore(): void {}
