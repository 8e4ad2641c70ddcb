import { type ResourceLimits, Worker } from 'node:worker_threads'

/**
 * Typed arrays do not count towards these limits; their size is bounded by the size of the texts.
 */
const LIMITS = { maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }
const MEMORY_MB = 256

/** One worker thread: started on first use, one job at a time, replaced after a failed job. */
export class WorkerThread<Job, Answer> implements AsyncDisposable {
  /** Jobs that are running or waiting. */
  pending = 0
  readonly #file: string | URL
  readonly #timeLimit: number
  readonly #limits: ResourceLimits
  #worker: Worker | null = null
  #closed = false
  #last: Promise<unknown> = Promise.resolve()

  constructor(file: string | URL, timeLimit: number, memoryMb: number = MEMORY_MB) {
    this.#file = file
    this.#timeLimit = timeLimit
    this.#limits = { ...LIMITS, maxOldGenerationSizeMb: memoryMb }
  }

  /**
   * The result, or null when the thread hit its limit of time or memory. The memory of the job is
   * transferred, not copied.
   */
  run<Given extends Answer = Answer>(
    job: Job,
    memory: readonly ArrayBuffer[],
  ): Promise<Given | null> {
    this.pending += 1
    const answer = this.#last.then(() => this.#execute<Given>(job, memory))
    const settle = () => {
      this.pending -= 1
    }
    this.#last = answer.then(settle, settle)
    return answer
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#worker?.terminate()
    await this.#last
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #execute<Given extends Answer>(
    job: Job,
    memory: readonly ArrayBuffer[],
  ): Promise<Given | null> {
    if (this.#closed) throw new Error('the worker thread is closed')
    const worker = (this.#worker ??= new Worker(this.#file, { resourceLimits: this.#limits }))
    const ending = { answered: false }
    try {
      worker.ref()
      const answer = await ask<Given>(worker, { job, memory }, this.#timeLimit)
      ending.answered = answer !== null
      return answer
    } finally {
      if (ending.answered) worker.unref()
      else await this.#discard(worker)
    }
  }

  async #discard(worker: Worker): Promise<void> {
    this.#worker = null
    await worker.terminate()
  }
}

/** Several threads for the same work: each job is given to the one with the fewest before it. */
export class WorkerThreads<Job, Answer> implements AsyncDisposable {
  readonly #threads: readonly WorkerThread<Job, Answer>[]

  constructor(count: number, ...options: ConstructorParameters<typeof WorkerThread>) {
    this.#threads = Array.from({ length: count }, () => new WorkerThread(...options))
  }

  async run(job: Job, memory: readonly ArrayBuffer[]): Promise<Answer | null> {
    const [idlest] = this.#threads.toSorted((one, other) => one.pending - other.pending)
    return (await idlest?.run(job, memory)) ?? null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }
}

function ask<Answer>(
  worker: Worker,
  { job, memory }: { readonly job: unknown; readonly memory: readonly ArrayBuffer[] },
  timeLimit: number,
): Promise<Answer | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(() => resolve(null)), timeLimit)
    const answer = (message: Answer) => settle(() => resolve(message))
    const fail = (error: Error) =>
      settle(() => (isOutOfMemory(error) ? resolve(null) : reject(error)))
    const exit = () => settle(() => reject(new Error('the worker thread has ended')))
    const settle = (end: () => void) => {
      clearTimeout(timer)
      worker.off('message', answer).off('error', fail).off('exit', exit)
      end()
    }
    worker.on('message', answer).on('error', fail).on('exit', exit)
    worker.postMessage(job, [...memory])
  })
}

function isOutOfMemory(error: Error): boolean {
  const code = 'code' in error ? error.code : null
  return code === 'ERR_WORKER_OUT_OF_MEMORY' || error.message === 'Array buffer allocation failed'
}
