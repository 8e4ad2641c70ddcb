import { LRUCache } from 'lru-cache'
import type { ConfigDocument, DocumentReading } from '../../document/document.ts'
import { DocumentReader } from '../../document/incremental/document-reader.ts'
import { sealSecrets } from '../../document/secrets/seal-secrets.ts'
import type { SecretBox } from '../../document/secrets/secret-box.ts'
import { type Digest, digestOf } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Inspection } from '../../history/history.ts'
import { ReadingThread } from './reading-thread.ts'

/** Read documents that are kept: the current one, the one before, and what is being saved. */
const KEPT = 4

/** The last documents that were read, by digest, so that a save reads its document once. */
export class DocumentCache implements AsyncDisposable {
  readonly #kept = new LRUCache<Digest, ConfigDocument>({ max: KEPT })
  readonly #reader = new DocumentReader()
  readonly #thread = new ReadingThread()
  readonly #box: SecretBox

  constructor(box: SecretBox) {
    this.#box = box
  }

  /** What the rules say about a document; plain secrets in it are sealed. Nobody waits long for it. */
  async inspect(bytes: Uint8Array<ArrayBuffer>): Promise<Inspection> {
    const reading = await this.#read(bytes)
    if (!reading.ok) return reading
    const { schemaVersion, hasPlainSecrets } = reading.document
    if (!hasPlainSecrets) {
      this.#kept.set(digestOf(bytes), reading.document)
      return { ok: true, document: bytes, schemaVersion }
    }
    const document = Buffer.from(sealSecrets(reading.document, this.#box).text)
    const sealed = await this.#read(document)
    if (sealed.ok) this.#kept.set(digestOf(document), sealed.document)
    return { ok: true, document, schemaVersion }
  }

  find(digest: Digest): ConfigDocument | null {
    return this.#kept.get(digest) ?? null
  }

  /**
   * The document of bytes that are valid.
   *
   * @throws {ServiceError} `config-invalid` when they are not.
   */
  async read(bytes: Uint8Array<ArrayBuffer>): Promise<ConfigDocument> {
    const digest = digestOf(bytes)
    const kept = this.#kept.get(digest)
    if (kept) return kept
    const reading = await this.#read(bytes)
    if (!reading.ok) {
      const { problems } = reading
      throw new ServiceError(
        'config-invalid',
        problems[0]?.message ?? 'The configuration is not valid',
        { problems },
      )
    }
    this.#kept.set(digest, reading.document)
    return reading.document
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]()
  }

  async #read(bytes: Uint8Array): Promise<DocumentReading> {
    const document = await this.#reader.read(bytes)
    return document ? { ok: true, document } : this.#thread.read(bytes)
  }
}
