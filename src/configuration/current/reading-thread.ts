import { type DocumentReading, readDocument } from '../../document/document.ts'
import { readXmlInSteps } from '../../document/xml/xml-reader.ts'
import { THREAD_MEMORY_MB } from '../../document/xml/xml-limits.ts'
import { inTurns } from '../../lib/in-turns.ts'
import type { Problem } from '../../core/problem.ts'
import { workerFile, WorkerThread } from '../../lib/worker-thread.ts'
import type { ReadingAnswer, ReadingJob } from './reading-job.ts'

/** Documents up to this size are read at once, in bytes. */
const SMALL = 2 ** 18
/** Milliseconds after which the thread gives up. */
const TIME_LIMIT = 300_000

/** Reads documents as `readDocument` does; large ones in a thread, so that they hold up nobody. */
export class ReadingThread implements AsyncDisposable {
  readonly #thread = new WorkerThread<ReadingJob, ReadingAnswer>(
    workerFile('configuration/current/reading-worker.js'),
    TIME_LIMIT,
    THREAD_MEMORY_MB,
  )

  async read(bytes: Uint8Array): Promise<DocumentReading> {
    if (bytes.length <= SMALL) return readDocument(bytes)
    const job = { document: new Uint8Array(bytes) }
    const answer = await this.#thread.run(job, [job.document.buffer])
    if (answer === null) return { ok: false, problems: [TOO_LONG] }
    if (!answer.ok) return answer
    const xml = await inTurns(readXmlInSteps(bytes))
    if (!xml.ok) return xml
    const { text, root, lines } = xml
    return { ok: true, document: { text, root, lines, bytes, ...answer.read } }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.close()
  }
}

const TOO_LONG: Problem = {
  message: 'to read the document takes more time or memory than there is',
}
