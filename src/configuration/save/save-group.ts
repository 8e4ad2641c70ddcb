import { authorOf, type ChangeOrigin } from '../../core/change-origin.ts'
import { type Digest, digestOf } from '../../core/digest.ts'
import type { Revision } from '../../core/revision.ts'
import type { History, StoredDocument } from '../../history/history.ts'
import type { Prepare, PreparedChange } from '../../history/revision/prepared-change.ts'
import type { Trailer } from '../../history/revision/message.ts'
import { notValid } from '../../history/revision/problems.ts'
import type { Committed } from '../../history/sync/committer.ts'
import { type Base, isCurrent } from '../../history/sync/reconciler.ts'
import type { Settled } from '../../lib/group-queue.ts'

export interface SavedChange {
  /** The revision that is current after the change. */
  readonly revision: Revision
  /** False when the document was current already, so that nothing was committed. */
  readonly isNew: boolean
  /** The name under which an invalid live file is kept that this change replaced; null for none. */
  readonly setAside: string | null
}

/**
 * The document that a change is based on: the current one, or the result of the change before it.
 */
export interface DocumentBefore {
  readonly digest: Digest
  readonly username: string
  /** As readers may see it. */
  readonly document: Uint8Array<ArrayBuffer>
}

/** Computes the next document; null changes nothing. */
export type Compute = (before: DocumentBefore) => Promise<Uint8Array<ArrayBuffer> | null>

export interface RequestedChange {
  readonly origin: ChangeOrigin
  readonly compute: Compute
  /** The subject of the commit; a summary of the changes when absent. */
  readonly subject?: string | undefined
  /** The reason in the words of the author; may be empty. */
  readonly message: string
  /** More facts for the end of the message. */
  readonly trailers?: readonly Trailer[] | undefined
}

export interface SaveGroupDeps {
  readonly prepare: Prepare
  /** The form of a stored document that readers get. */
  readonly sealForReaders: (stored: StoredDocument) => Promise<Uint8Array<ArrayBuffer>>
  readonly findBeside: History['findBeside']
}

/** The newest document, as the next change finds it. */
interface Newest extends Omit<DocumentBefore, 'document'> {
  readonly stored: Uint8Array<ArrayBuffer>
}

/** The outcome of a change: the place of its commit, or the number of commits before it. */
type Outcome =
  | { readonly kind: 'prepared'; readonly place: number }
  | { readonly kind: 'unchanged'; readonly before: number }
  | { readonly kind: 'refused'; readonly reason: unknown }

/** The most changes that share a round of syncs, so that the first one does not wait for too many. */
const MAX_CHANGES = 32
/** Bytes of their documents after which no other change is taken; all of them are held in memory. */
const MAX_BYTES = 16 * 1_048_576

/** Changes that are prepared one upon the other. One that is refused is left out, and spoils none. */
export class SaveGroup {
  readonly #deps: SaveGroupDeps
  readonly #base: Base
  readonly #changes: PreparedChange[] = []
  readonly #outcomes: Outcome[] = []
  #newest: Newest
  #bytes = 0

  constructor(deps: SaveGroupDeps, base: Base) {
    this.#deps = deps
    this.#base = base
    const { digest, username } = base.current
    this.#newest = { digest, username, stored: base.document }
  }

  /** The changes to commit, in their order. */
  get changes(): readonly PreparedChange[] {
    return this.#changes
  }

  get isFull(): boolean {
    return this.#outcomes.length >= MAX_CHANGES || this.#bytes >= MAX_BYTES
  }

  /** Prepares a change upon those before it. Never fails: a refusal is the outcome of this change. */
  async add(change: RequestedChange): Promise<void> {
    try {
      const prepared = await this.#prepare(change)
      const place = this.#changes.length
      if (prepared === null) this.#outcomes.push({ kind: 'unchanged', before: place })
      else this.#take(prepared)
    } catch (reason) {
      this.#outcomes.push({ kind: 'refused', reason })
    }
  }

  /** The outcome of each change, once those that were prepared are committed. */
  outcomes(committed: readonly Committed[]): readonly Settled<SavedChange>[] {
    return this.#outcomes.map((outcome) => {
      if (outcome.kind === 'refused') return { status: 'rejected', reason: outcome.reason }
      return { status: 'fulfilled', value: this.#saved(outcome, committed) }
    })
  }

  #saved(
    outcome: Exclude<Outcome, { kind: 'refused' }>,
    committed: readonly Committed[],
  ): SavedChange {
    const saved = outcome.kind === 'prepared' ? committed[outcome.place] : undefined
    if (saved !== undefined) return { ...saved, isNew: true }
    const before = outcome.kind === 'unchanged' ? committed[outcome.before - 1] : undefined
    return { revision: before?.revision ?? this.#base.current, isNew: false, setAside: null }
  }

  #take(change: PreparedChange): void {
    const { author: username, document: stored } = change
    this.#outcomes.push({ kind: 'prepared', place: this.#changes.length })
    this.#changes.push(change)
    this.#bytes += stored.length
    this.#newest = { digest: digestOf(stored), username, stored }
  }

  /** Null for a change that makes no other document. */
  async #prepare(change: RequestedChange): Promise<PreparedChange | null> {
    const { origin, compute, subject, message } = change
    const { prepare, sealForReaders, findBeside } = this.#deps
    const { digest, username, stored } = this.#newest
    const document = await sealForReaders({ digest, document: stored })
    const next = await compute({ digest, username, document })
    if (next === null || this.#isNewest(next)) return null
    const ground = { findBeside: (name: string) => findBeside(this.#base.head, name), message }
    const prepared = await prepare(next, stored, origin, ground)
    if (!prepared.ok) throw notValid(prepared.problems)
    if (this.#isNewest(prepared.document)) return null
    const { door } = origin
    return {
      ...prepared,
      trailers: [...(prepared.trailers ?? []), ...(change.trailers ?? [])],
      door,
      author: authorOf(origin),
      subject: subject ?? prepared.subject,
      message,
    }
  }

  /** A newest commit that is no revision is not current, whatever its bytes. */
  #isNewest(document: Uint8Array): boolean {
    if (this.#changes.length === 0) return isCurrent(this.#base, document)
    return Buffer.compare(this.#newest.stored, document) === 0
  }
}
