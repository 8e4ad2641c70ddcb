import type { ConfigDocument } from '../../document/document.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import type { Digest } from '../../core/digest.ts'
import type { Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { Emitter } from '../../lib/emitter.ts'
import type { DocumentCache } from './document-cache.ts'

const AGAIN_MS = 1_000

export interface CurrentConfigurationOptions {
  readonly history: History
  readonly cache: DocumentCache
  readonly log: Log
}

/**
 * The current configuration, read once for each revision. Listeners run during the commit, before
 * any caller gets an answer about it.
 */
export class CurrentConfiguration implements Disposable {
  readonly #history: History
  readonly #cache: DocumentCache
  readonly #log: Log
  readonly #changed = new Emitter<[ConfigDocument]>()
  readonly #unlisten: () => void
  #document: ConfigDocument
  #revision: Revision
  #again: NodeJS.Timeout | undefined

  private constructor(
    options: CurrentConfigurationOptions,
    { revision, document }: { readonly revision: Revision; readonly document: ConfigDocument },
  ) {
    this.#history = options.history
    this.#cache = options.cache
    this.#log = options.log
    this.#document = document
    this.#revision = revision
    this.#unlisten = options.history.onRevision(() => this.#onRevisions())
  }

  static async open(options: CurrentConfigurationOptions): Promise<CurrentConfiguration> {
    const revision = options.history.current()
    const document = await options.cache.read(await options.history.readDocument(revision))
    return new CurrentConfiguration(options, { revision, document })
  }

  read(): ConfigDocument {
    return this.#document
  }

  /** The revision of the configuration that is read. */
  revision(): Revision {
    return this.#revision
  }

  /** The parsed form of a valid document, which is the current one or becomes it. */
  documentOf(document: Uint8Array<ArrayBuffer>): Promise<ConfigDocument> {
    return this.#cache.read(document)
  }

  /** A document that was read lately and that readers may see as it is, or null. */
  findReadable(digest: Digest): ConfigDocument | null {
    return this.#cache.findReadable(digest)
  }

  /** Calls the listener now and with every later configuration. Returns a function that unsubscribes it. */
  subscribe(listener: (document: ConfigDocument) => void): () => void {
    const stop = this.#changed.on(listener)
    listener(this.#document)
    return stop
  }

  [Symbol.dispose](): void {
    this.#unlisten()
    clearTimeout(this.#again)
  }

  #onRevisions(): void {
    const current = this.#history.current()
    if (current.digest === this.#revision.digest) {
      this.#revision = current
      return
    }
    const document = this.#cache.find(current.digest)
    if (document) this.#take(current, document)
    else
      inBackground(this.#log, 'The configuration in force could not be read', this.#load(current))
  }

  async #load(revision: Revision): Promise<void> {
    const document = await this.#read(revision)
    if (this.#history.current().commit === revision.commit) this.#take(revision, document)
  }

  /** Reading is retried with the next revision, and until then at intervals. */
  async #read(revision: Revision): Promise<ConfigDocument> {
    try {
      return await this.#cache.read(await this.#history.readDocument(revision))
    } catch (error) {
      clearTimeout(this.#again)
      this.#again = setTimeout(() => this.#onRevisions(), AGAIN_MS).unref()
      throw error
    }
  }

  #take(revision: Revision, document: ConfigDocument): void {
    this.#revision = revision
    this.#document = document
    this.#changed.emit(document)
  }
}
