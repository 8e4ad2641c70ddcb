import { setFlagsFromString } from 'node:v8'
import { LRUCache } from 'lru-cache'
import type { ConfigDocument, DocumentReading } from '../../document/document.ts'
import { IncrementalReader } from '../../document/incremental/incremental-reader.ts'
import { type Digest, digestInSteps, digestOf } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import { runCooperatively } from '../../lib/cooperative.ts'
import type { Inspection } from '../../history/history.ts'
import type { KeptFacts } from './kept-facts.ts'
import type { DocumentThread, Sealing } from './document-thread.ts'
import { XML_LIMITS } from '../../document/xml/xml-limits.ts'

/** The most cached documents: the current one, those before it, and those being saved. */
const CACHED = 40
/** How many of those that are not small are cached beside each other. */
const CACHED_ALWAYS = 4
/** A byte of a document counts as so many: what is read of it takes more memory. */
const WEIGHT = 32
/** Of documents that take much of the memory, only the current one and the next are cached. */
const CACHED_BYTES = XML_LIMITS.maxBytes
const LARGE = CACHED_BYTES / 4
/** From this size on, the trees of a document are many objects, in bytes. */
const MANY_OBJECTS = 2 ** 18

/** The last documents that were read, by digest, so that a save reads its document once. */
export class DocumentCache {
  readonly #cache = new LRUCache<Digest, ConfigDocument>({
    max: CACHED,
    maxSize: CACHED_BYTES,
  })
  readonly #reader = new IncrementalReader()
  readonly #thread: DocumentThread
  readonly #sealing: Sealing
  readonly #facts: Pick<KeptFacts, 'find'> | null

  constructor(
    thread: DocumentThread,
    sealing: Sealing = { isRepeatable: false },
    facts: Pick<KeptFacts, 'find'> | null = null,
  ) {
    this.#thread = thread
    this.#sealing = sealing
    this.#facts = facts
  }

  /** Validates a document and seals its plain secrets, without blocking the event loop. */
  async inspect(bytes: Uint8Array<ArrayBuffer>): Promise<Inspection> {
    const cached = this.#cache.get(await runCooperatively(digestInSteps(bytes)))
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
    const sealing = await this.#thread.seal(bytes, this.#sealing)
    if (!sealing.ok) return sealing
    const { document } = sealing
    const sealed = await this.#read(document)
    if (sealed.ok) this.#keep(document, sealed.document)
    return { ok: true, document, schemaVersion }
  }

  find(digest: Digest): ConfigDocument | null {
    return this.#cache.get(digest) ?? null
  }

  /** A cached document that readers may see as it is, or null. */
  findReadable(digest: Digest): ConfigDocument | null {
    const document = this.find(digest)
    return document === null || document.hasPlainSecrets ? null : document
  }

  /**
   * Parses valid bytes into a document.
   *
   * @throws {ServiceError} `config-invalid` when they are not.
   */
  async read(bytes: Uint8Array<ArrayBuffer>): Promise<ConfigDocument> {
    const digest = await runCooperatively(digestInSteps(bytes))
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

  /** Beside a large document that is read, only the one that was used last stays in memory. */
  #makeRoom(bytes: Uint8Array): void {
    if (bytes.length > LARGE) while (this.#cache.size > 1) this.#cache.pop()
  }

  #keep(bytes: Uint8Array, document: ConfigDocument): void {
    this.#cache.set(digestOf(bytes), document, {
      size: sizeOf(bytes),
    })
  }

  async #read(bytes: Uint8Array<ArrayBuffer>): Promise<DocumentReading> {
    if (bytes.length > MANY_OBJECTS) keepYoung()
    const facts = (await this.#facts?.find(bytes)) ?? null
    const document = await this.#reader.read(bytes, facts)
    return document ? { ok: true, document } : this.#thread.read(bytes)
  }
}

function sizeOf({ length }: Uint8Array): number {
  if (length > LARGE) return CACHED_BYTES / 2
  return Math.ceil(Math.min(length * WEIGHT, CACHED_BYTES / CACHED_ALWAYS))
}

let isKept = false

/**
 * Lets the engine make every object among the young ones. It would make those of a tree among the old ones once it
 * has seen some of them live for long: the next trees are garbage at once, and each would be there until a full
 * collection.
 *
 * From then on, Node compiles its own modules anew where they are loaded, in each thread that begins, too: what it
 * brings of them is for the flags that it was built with.
 */
function keepYoung(): void {
  if (isKept) return
  isKept = true
  setFlagsFromString('--no-allocation-site-pretenuring')
}
