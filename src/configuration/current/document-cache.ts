import { LRUCache } from 'lru-cache'
import { type ConfigDocument, type DocumentReading, readDocument } from '../../document/document.ts'
import { IncrementalReader } from '../../document/incremental/incremental-reader.ts'
import { sealSecrets } from '../../document/secrets/seal-secrets.ts'
import type { SecretBox } from '../../document/secrets/secret-box.ts'
import { type Digest, digestOf } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Inspection } from '../../history/history.ts'
import { readXml } from '../../document/xml/xml-reader.ts'
import { THREAD_MEMORY_MB, XML_LIMITS } from '../../document/xml/xml-limits.ts'
import { runCooperatively } from '../../lib/cooperative.ts'
import type { Problem } from '../../core/problem.ts'
import { workerFile, WorkerThread } from '../../lib/worker-thread.ts'
import type { ReadingAnswer, ReadingJob } from './reading-job.ts'

/** The most cached documents: the current one, the one before, and those being saved. */
const CACHED = 4
/** Of documents that take much of the memory, only the current one and the next are cached. */
const CACHED_BYTES = XML_LIMITS.maxBytes
const LARGE = CACHED_BYTES / 4

/** The last documents that were read, by digest, so that a save reads its document once. */
export class DocumentCache implements AsyncDisposable {
  readonly #cache = new LRUCache<Digest, ConfigDocument>({
    max: CACHED,
    maxSize: CACHED_BYTES,
  })
  readonly #reader = new IncrementalReader()
  readonly #thread = new ReadingThread()
  readonly #box: SecretBox

  constructor(box: SecretBox) {
    this.#box = box
  }

  /** Validates a document and seals its plain secrets, without blocking the event loop. */
  async inspect(bytes: Uint8Array<ArrayBuffer>): Promise<Inspection> {
    const cached = this.#cache.get(digestOf(bytes))
    if (cached && !cached.hasPlainSecrets) {
      return { ok: true, document: bytes, schemaVersion: cached.schemaVersion }
    }
    this.#makeRoom(bytes)
    const reading = await this.#read(bytes)
    if (!reading.ok) return reading
    const { schemaVersion, hasPlainSecrets } = reading.document
    if (!hasPlainSecrets) {
      this.#keep(bytes, reading.document)
      return { ok: true, document: bytes, schemaVersion }
    }
    const document = Buffer.from(sealSecrets(reading.document, this.#box).text)
    const sealed = await this.#read(document)
    if (sealed.ok) this.#keep(document, sealed.document)
    return { ok: true, document, schemaVersion }
  }

  find(digest: Digest): ConfigDocument | null {
    return this.#cache.get(digest) ?? null
  }

  /**
   * Parses valid bytes into a document.
   *
   * @throws {ServiceError} `config-invalid` when they are not.
   */
  async read(bytes: Uint8Array<ArrayBuffer>): Promise<ConfigDocument> {
    const digest = digestOf(bytes)
    const cached = this.#cache.get(digest)
    if (cached) return cached
    const reading = await this.#read(bytes)
    if (!reading.ok) {
      const { problems } = reading
      throw new ServiceError(
        'config-invalid',
        problems[0]?.message ?? 'The configuration is not valid',
        { problems },
      )
    }
    this.#keep(bytes, reading.document)
    return reading.document
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]()
  }

  /** Beside a large document that is read, only the one that was used last stays in memory. */
  #makeRoom(bytes: Uint8Array): void {
    if (bytes.length > LARGE) while (this.#cache.size > 1) this.#cache.pop()
  }

  #keep(bytes: Uint8Array, document: ConfigDocument): void {
    this.#cache.set(digestOf(bytes), document, {
      size: bytes.length > LARGE ? CACHED_BYTES / 2 : 1,
    })
  }

  async #read(bytes: Uint8Array): Promise<DocumentReading> {
    const document = await this.#reader.read(bytes)
    return document ? { ok: true, document } : this.#thread.read(bytes)
  }
}

/** Documents up to this size are read in the main thread, in bytes. */
const SMALL = 2 ** 18
/** Milliseconds after which the thread gives up. */
const TIME_LIMIT = 300_000

/** Reads documents as `readDocument` does; large ones in a worker thread, to keep the event loop free. */
class ReadingThread implements AsyncDisposable {
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
    const xml = await runCooperatively(readXml(bytes))
    if (!xml.ok) return xml
    const { text, root, lines } = xml
    return { ok: true, document: { text, root, lines, bytes, ...answer.read } }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.close()
  }
}

const TOO_LONG: Problem = {
  message: 'reading the document exceeds the limits of time or memory',
}
