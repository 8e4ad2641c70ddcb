import { THREAD_MEMORY_MB } from '../config/xml/xml-limits.ts'
import type { Problem } from '../core/problem.ts'
import { DiffThread, workerFile } from '../diff/diff-thread.ts'
import { type ProblemAnswer, type ProblemJob, problemsIn } from './problem-job.ts'

/** Documents up to this size are read at once, in bytes. */
const SMALL = 2 ** 18
/** Milliseconds after which the thread gives up. */
const TIME_LIMIT = 60_000

/** Says what is wrong with a document; of a large one in a thread, so that it holds up nobody. */
export class ProblemThread implements AsyncDisposable {
  readonly #thread = new DiffThread<ProblemJob, ProblemAnswer>(
    workerFile('services/problem-worker.js'),
    TIME_LIMIT,
    THREAD_MEMORY_MB,
  )

  async problemsOf(document: Uint8Array): Promise<readonly Problem[]> {
    const job = { document: new Uint8Array(document) }
    if (document.length <= SMALL) return problemsIn(job)
    const answer = await this.#thread.run(job, [job.document.buffer])
    return answer ?? [TOO_LONG]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.close()
  }
}

const TOO_LONG: Problem = {
  message: 'the document is not valid, and to say why takes more time or memory than there is',
}
