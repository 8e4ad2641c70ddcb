import type { QueueLoad } from './serial-queue.ts'

/** The outcome of a job. */
export type Settled<Result> = PromiseSettledResult<Result>

/**
 * Processes a prefix of the waiting jobs, and returns the result of each. A job is taken once the
 * iterator has yielded it; the others are left to the next call. Jobs that arrive meanwhile can be
 * taken, and a new iterator begins with the same job.
 */
export type ServeGroup<Job, Result> = (
  waiting: Iterable<Job>,
) => Promise<readonly Settled<Result>[]>

interface Waiting<Job, Result> {
  readonly job: Job
  readonly since: number
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Serves jobs in groups: whatever waits when one group has been served may share the next. None is
 * answered before its group has been served.
 */
export class GroupQueue<Job, Result> implements AsyncDisposable {
  readonly #serve: ServeGroup<Job, Result>
  readonly #refusal: () => Error
  readonly #waiting: Waiting<Job, Result>[] = []
  #serving: Promise<void> | null = null
  #closed = false
  /** The number of waiting jobs that were taken. */
  #taken = 0
  #served = 0
  #waited = 0

  /** @param refusal creates the error for jobs after the queue is closed. */
  constructor(serve: ServeGroup<Job, Result>, refusal: () => Error) {
    this.#serve = serve
    this.#refusal = refusal
  }

  /** @throws what became of the job, what serving its group throws, or the queue's refusal. */
  run(job: Job): Promise<Result> {
    if (this.#closed) return Promise.reject(this.#refusal())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, since: performance.now(), resolve, reject })
      this.#serving ??= this.#serveAll()
    })
  }

  load(): QueueLoad {
    return {
      waiting: this.#waiting.length,
      served: this.#served,
      waitedSeconds: this.#waited / 1_000,
    }
  }

  /** Accepts no new jobs, and returns once every accepted one has ended. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#serving
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #serveAll(): Promise<void> {
    // Jobs of the same tick are in the first group.
    await Promise.resolve()
    while (this.#waiting.length > 0) await this.#serveOnce()
    this.#serving = null
  }

  async #serveOnce(): Promise<void> {
    this.#taken = 0
    try {
      const outcomes = await this.#serve({ [Symbol.iterator]: () => this.#take() })
      const ended = this.#waiting.splice(0, outcomes.length)
      for (const [n, { resolve, reject }] of ended.entries()) {
        const outcome = outcomes[n]
        if (outcome?.status === 'fulfilled') resolve(outcome.value)
        else reject(outcome?.reason)
      }
    } catch (error) {
      for (const { reject } of this.#waiting.splice(0, Math.max(1, this.#taken))) reject(error)
    }
  }

  *#take(): Generator<Job> {
    for (const [n, { job, since }] of this.#waiting.entries()) {
      if (n >= this.#taken) this.#noteTaken(since)
      yield job
    }
  }

  #noteTaken(since: number): void {
    this.#taken += 1
    this.#served += 1
    this.#waited += performance.now() - since
  }
}
