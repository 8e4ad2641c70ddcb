import { unavailable } from '../../core/errors.ts'
import type { Revision } from '../../core/revision.ts'
import type { CurrentDocument } from '../current/current-configuration.ts'
import type { History, StoredDocument } from '../../history/history.ts'
import type { Prepare } from '../../history/revision/prepared-change.ts'
import { notValid } from '../../history/revision/problems.ts'
import { isCurrent } from '../../history/sync/reconciler.ts'
import type { QueueLoad } from '../../lib/serial-queue.ts'
import { WriterQueue } from '../../storage/writer-queue.ts'

/** What a change has led to. */
export interface SavedChange {
  /** The revision that is current now. */
  readonly revision: Revision
  /** False when the document was current already, so that nothing was committed. */
  readonly isNew: boolean
}

/** The document that is to become current, or null to leave it as it is. */
export type Compute = (current: CurrentDocument) => Promise<Uint8Array | null>

/** How a change is recorded, besides its author. */
export interface ChangeOptions {
  /** The subject of the commit; what changed, in words, when not given. */
  readonly subject?: string
}

export interface ConfigurationWriterDeps {
  readonly history: History
  readonly prepare: Prepare
  /** What readers get of a stored document. */
  readonly sealForReaders: (stored: StoredDocument) => Promise<Uint8Array<ArrayBuffer>>
}

/** How often a change is computed anew because git or an editor was faster. */
const ATTEMPTS = 20

/**
 * Makes changes of the current document: computed from it, judged and put into words here, then
 * committed by the history. A commit that finds its base gone is computed again.
 */
export class ConfigurationWriter implements AsyncDisposable {
  readonly #deps: ConfigurationWriterDeps
  readonly #queue = new WriterQueue()

  constructor(deps: ConfigurationWriterDeps) {
    this.#deps = deps
  }

  /**
   * Makes what `compute` returns the current document, as a commit by `author`. Changes are
   * computed one after the other, each from the result of the one before.
   *
   * @throws {ServiceError} `config-invalid`; `unavailable` while the repository cannot be written
   * to; whatever `compute` throws.
   */
  change(author: string, compute: Compute, options: ChangeOptions = {}): Promise<SavedChange> {
    return this.#queue.run(async () => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const saved = await this.#tryChange(author, compute, options)
        if (saved !== 'stale') return saved
      }
      throw unavailable('The repository is changed by others without a pause')
    })
  }

  /** How many changes wait, and how long they waited. */
  load(): QueueLoad {
    return this.#queue.load()
  }

  /** Ends what has been accepted. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.close()
  }

  async #tryChange(
    author: string,
    compute: Compute,
    { subject }: ChangeOptions,
  ): Promise<SavedChange | 'stale'> {
    const { history, prepare, sealForReaders } = this.#deps
    const base = await history.base()
    const { current: revision, document: before } = base
    const unchanged = { revision, isNew: false }
    const document = await sealForReaders({ digest: revision.digest, document: before })
    const next = await compute({ revision, document })
    if (next === null || isCurrent(base, next)) return unchanged
    const prepared = await prepare(new Uint8Array(next), before)
    if (!prepared.ok) throw notValid(prepared.problems)
    if (isCurrent(base, prepared.document)) return unchanged
    const change = { ...prepared, author, subject: subject ?? prepared.subject }
    const saved = await history.commit(base, change)
    return saved === 'stale' ? saved : { revision: saved, isNew: true }
  }
}
