import { unavailable } from '../../core/errors.ts'
import type { Revision } from '../../core/revision.ts'
import type { CurrentDocument } from '../current/current-configuration.ts'
import type { History, StoredDocument } from '../../history/history.ts'
import type { Preparation, Prepare } from '../../history/revision/prepared-change.ts'
import { notValid } from '../../history/revision/problems.ts'
import { isCurrent } from '../../history/sync/reconciler.ts'
import type { QueueLoad } from '../../lib/serial-queue.ts'
import { WriterQueue } from '../../storage/writer-queue.ts'

/** The outcome of a change. */
export interface SavedChange {
  /** The revision that is current after the change. */
  readonly revision: Revision
  /** False when the document was current already, so that nothing was committed. */
  readonly isNew: boolean
  /** The name under which an invalid live file is kept that this change replaced; null for none. */
  readonly setAside: string | null
}

/** Computes the next document from the current one; null changes nothing. */
export type Compute = (current: CurrentDocument) => Promise<Uint8Array | null>

/** Options of a change besides its author. */
export interface ChangeOptions {
  /** The subject of the commit; a summary of the changes when absent. */
  readonly subject?: string
  /** The reason in the words of the author; none when absent. */
  readonly message?: string
}

export interface ConfigurationWriterDeps {
  readonly history: History
  readonly prepare: Prepare
  /** The form of a stored document that readers get. */
  readonly sealForReaders: (stored: StoredDocument) => Promise<Uint8Array<ArrayBuffer>>
}

/** How often a change is computed again because git or an editor was faster. */
const ATTEMPTS = 20
/** After so many, git commands have to wait for the change. */
const FREE_ATTEMPTS = 3

/**
 * Makes changes of the current document: prepares them here, then lets the history commit them. A
 * stale change is computed again, and in the end while git may not move the branch.
 */
export class ConfigurationWriter implements AsyncDisposable {
  readonly #deps: ConfigurationWriterDeps
  readonly #queue = new WriterQueue()

  constructor(deps: ConfigurationWriterDeps) {
    this.#deps = deps
  }

  /**
   * Commits the result of `compute` as the current document, by `author`. Changes run one after the
   * other, each on the result of the one before.
   *
   * @throws {ServiceError} `config-invalid`; `unavailable` while the repository cannot be written
   * to; whatever `compute` throws.
   */
  change(author: string, compute: Compute, options: ChangeOptions = {}): Promise<SavedChange> {
    return this.#queue.run(async () => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        await using _ = attempt < FREE_ATTEMPTS ? null : await this.#deps.history.holdBranch()
        const saved = await this.#tryChange(author, compute, options)
        if (saved !== 'stale') return saved
      }
      throw unavailable('Others keep changing the live file')
    })
  }

  /** Prepares a document as the next revision without committing it. */
  async preview(document: Uint8Array<ArrayBuffer>): Promise<Preparation> {
    const { history, prepare } = this.#deps
    return prepare(document, await history.readStored(history.current()))
  }

  /** How many changes wait, and how long changes waited. */
  load(): QueueLoad {
    return this.#queue.load()
  }

  /** Finishes accepted changes. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.close()
  }

  async #tryChange(
    author: string,
    compute: Compute,
    { subject, message = '' }: ChangeOptions,
  ): Promise<SavedChange | 'stale'> {
    const { history, prepare, sealForReaders } = this.#deps
    const base = await history.base()
    const { current: revision, document: before } = base
    const unchanged = { revision, isNew: false, setAside: null }
    const document = await sealForReaders({ digest: revision.digest, document: before })
    const next = await compute({ revision, document })
    if (next === null || isCurrent(base, next)) return unchanged
    const prepared = await prepare(new Uint8Array(next), before)
    if (!prepared.ok) throw notValid(prepared.problems)
    if (isCurrent(base, prepared.document)) return unchanged
    const change = { ...prepared, author, subject: subject ?? prepared.subject, message }
    const saved = await history.commit(base, change)
    return saved === 'stale' ? saved : { ...saved, isNew: true }
  }
}
