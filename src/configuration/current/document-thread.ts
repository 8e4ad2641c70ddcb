import { type DocumentReading, readDocument } from '../../document/document.ts'
import type { SecretBox } from '../../document/secrets/secret-box.ts'
import { readXml } from '../../document/xml/xml-reader.ts'
import { THREAD_MEMORY_MB } from '../../document/xml/xml-limits.ts'
import { runCooperatively } from '../../lib/cooperative.ts'
import type { Problem } from '../../core/problem.ts'
import { builtFile } from '../../lib/built-file.ts'
import { WorkerThread } from '../../lib/worker-thread.ts'
import {
  type DocumentJob,
  type ReadingAnswer,
  runSealingJob,
  type SealingAnswer,
  type SealingJob,
} from './document-job.ts'

/** The work on documents up to this size is done in the main thread, in bytes. */
const SMALL = 2 ** 18
/** Milliseconds after which the thread gives up. */
const TIMEOUT_MS = 300_000

const TOO_LONG: Problem = {
  message: 'reading the document exceeds the limits of time or memory',
}

/** How secrets are sealed. */
export type Sealing = Pick<SealingJob, 'isRepeatable'> & Partial<Pick<SealingJob, 'form'>>

/** Reads and seals whole documents; large ones in a worker thread, to keep the event loop free. */
export class DocumentThread implements AsyncDisposable {
  readonly #box: SecretBox
  readonly #thread = new WorkerThread<DocumentJob, ReadingAnswer | SealingAnswer>(
    builtFile('configuration/current/document-worker.js'),
    TIMEOUT_MS,
    THREAD_MEMORY_MB,
  )

  constructor(box: SecretBox) {
    this.#box = box
  }

  /** Reads as `readDocument` does. */
  async read(bytes: Uint8Array<ArrayBuffer>): Promise<DocumentReading> {
    if (bytes.length <= SMALL) return readDocument(bytes)
    const job = { kind: 'read', document: new Uint8Array(bytes) } as const
    const answer = await this.#thread.run<ReadingAnswer>(job, [job.document.buffer])
    if (answer === null) return { ok: false, problems: [TOO_LONG] }
    if (!answer.ok) return answer
    const xml = await runCooperatively(readXml(bytes))
    if (!xml.ok) return xml
    const { text, source, root, lines } = xml
    return { ok: true, document: { text, source, root, lines, bytes, ...answer.read } }
  }

  /** The document with the sealed form of each plain secret in its place. */
  async seal(
    bytes: Uint8Array,
    { isRepeatable, form = 'configuration' }: Sealing,
  ): Promise<SealingAnswer> {
    const { keys } = this.#box
    const job = { kind: 'seal', document: new Uint8Array(bytes), keys, isRepeatable, form } as const
    if (bytes.length <= SMALL) return runSealingJob(job)
    const answer = await this.#thread.run<SealingAnswer>(job, [job.document.buffer])
    return answer ?? { ok: false, problems: [TOO_LONG] }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.close()
  }
}
