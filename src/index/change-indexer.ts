import { LRUCache } from 'lru-cache'
import type { DocumentChange } from '../document/entities/change.ts'
import { changesOfMerge } from '../document/changes/merge-changes.ts'
import type { Comparable } from '../document/changes/summarise-changes.ts'
import type { Digest } from '../core/digest.ts'
import { ServiceError } from '../core/errors.ts'
import { Turns } from '../lib/cooperative.ts'
import type { Log } from '../lib/log.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import type { History, RevisionEvent } from '../history/history.ts'
import { fsErrorCode } from '../storage/fs-error.ts'
import type { ChangesFile } from './changes-file.ts'
import type { ChangeSummary, ComparedDocument } from '../document/changes/change-summary.ts'
import type { CommitNumbers } from './commit-numbers.ts'
import { IndexedChanges } from './indexed-changes.ts'
import { type RevisionChanges, changesOfRevision } from './revision-changes.ts'

export interface ChangeIndexerDeps {
  readonly history: History
  readonly summary: ChangeSummary
  readonly file: ChangesFile
  /** Examines every revision once, before it counts as indexed. */
  readonly examine?: (revision: Revision) => Promise<void>
  /** Where other indexes of the same history number its commits too. */
  readonly commits?: CommitNumbers
  readonly log: Log
}

const PAGE = 100
/** The most indexed revisions that are not written yet. */
const UNWRITTEN = 200
const FAILED = 'The changes of revisions could not be computed'
const UNREADABLE = 'The stored changes of revisions cannot be read and are computed again'
const UNWRITABLE = 'The changes of revisions could not be stored'

/**
 * Computes what each revision changed, once, in the background and newest first, and stores it in a
 * file that can be deleted at any time. An entry names its revision and the one upon which that
 * came, so it stays true when the history is rewritten. A merge has only what it changed itself.
 */
export class ChangeIndexer implements AsyncDisposable {
  readonly indexed: IndexedChanges
  readonly #deps: ChangeIndexerDeps
  readonly #documents = new LRUCache<Digest, Comparable>({ max: 2 })
  readonly #unlisten: () => void
  readonly #turns = new Turns()
  #unwritten: RevisionChanges[] = []
  #isClosed = false
  #isBegun = false
  #work: Promise<void> = Promise.resolve()

  constructor(deps: ChangeIndexerDeps) {
    this.#deps = deps
    this.indexed = new IndexedChanges(deps.commits)
    this.#unlisten = deps.history.onRevision((news) => this.#onRevisions(news))
  }

  /** Loads the stored changes and indexes the rest in the background. */
  begin(): void {
    if (this.#isBegun || this.#isClosed) return
    this.#isBegun = true
    this.#then(() => this.#load())
  }

  isIndexed(revision: Pick<Revision, 'commit'>): boolean {
    return this.indexed.has(revision.commit, this.before(revision))
  }

  /** The revision upon which another one came; null for the first. */
  before(revision: Pick<Revision, 'commit'>): CommitSha | null {
    return this.#deps.history.basesOf(revision)[0] ?? null
  }

  /** Resolves when every current revision is indexed, or could not be. */
  async settle(): Promise<void> {
    this.begin()
    if (!this.isIndexed(this.#deps.history.current())) this.#then(() => this.#indexNewest())
    await this.#work
  }

  /** Stops indexing; the rest is indexed at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#unlisten()
    await this.#work
    await this.#write()
  }

  #onRevisions({ added, isRewritten }: RevisionEvent): void {
    if (!this.#isBegun) return
    this.#then(async () => {
      if (isRewritten) await this.#indexAll()
      // In their order the one before is at hand.
      else for (const revision of added) await this.#indexRevision(revision)
    })
  }

  #then(work: () => Promise<void>): void {
    const earlier = this.#work
    this.#work = this.#run(async () => {
      await earlier
      await work()
    })
  }

  /** A failure is only logged: missing revisions are indexed at the next start. */
  async #run(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      if (!this.#isClosed) await this.#write()
    } catch (error) {
      this.#deps.log({ level: 'error', message: FAILED, facts: { error } })
    } finally {
      this.#documents.clear()
    }
  }

  async #load(): Promise<void> {
    await this.#readFile()
    await this.#indexAll()
  }

  async #readFile(): Promise<void> {
    try {
      for await (const changes of this.#deps.file.load()) this.indexed.add(changes)
    } catch (error) {
      if (fsErrorCode(error) === null) throw error
      this.#deps.log({ level: 'warning', message: UNREADABLE, facts: { error } })
    }
  }

  async #indexAll(): Promise<void> {
    const { history } = this.#deps
    for (let offset = 0; offset < history.kept() && !this.#isClosed; offset += PAGE) {
      for (const { commit, bases } of history.listLineage({ offset, limit: PAGE })) {
        if (this.indexed.has(commit, bases[0] ?? null)) continue
        const revision = history.findCommit(commit)
        if (revision !== null) await this.#indexRevision(revision)
      }
      if (this.#turns.isOver) await this.#turns.next()
    }
  }

  /** Indexes new revisions whose event has not been handled yet. */
  async #indexNewest(): Promise<void> {
    const { history } = this.#deps
    for (let offset = 0; offset < history.size(); offset += 1) {
      const [revision] = history.list({ offset, limit: 1 })
      if (!revision || this.isIndexed(revision)) return
      await this.#indexRevision(revision)
    }
  }

  async #indexRevision(revision: Revision): Promise<void> {
    if (this.#turns.isOver) await this.#turns.next()
    const { commit } = revision
    const bases = this.#deps.history.basesOf(revision)
    if (this.#isClosed || this.isIndexed(revision)) return
    const described = await this.#describe(revision, bases)
    if (described === null) return
    const [previous = null] = bases
    await this.#deps.examine?.(revision)
    const changes = changesOfRevision({ commit, previous }, described)
    this.indexed.add(changes)
    this.#unwritten.push(changes)
    if (this.#unwritten.length >= UNWRITTEN) await this.#write()
  }

  /** Null where the repository no longer has a document; the other revisions are indexed all the same. */
  async #describe(
    revision: Revision,
    bases: readonly CommitSha[],
  ): Promise<readonly DocumentChange[] | null> {
    try {
      const [first = null, ...others] = bases
      const changes = await this.#compare(first, revision)
      if (others.length === 0) return changes
      const comparisons = [changes]
      for (const each of others) comparisons.push(await this.#compare(each, revision))
      return changesOfMerge(comparisons)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      this.#deps.log({ level: 'warning', message: error.message })
      return null
    }
  }

  #compare(base: CommitSha | null, revision: Revision): Promise<readonly DocumentChange[]> {
    const { history, summary } = this.#deps
    const before = base && history.findCommit(base)
    return summary.compare(before && this.#compared(before), this.#compared(revision))
  }

  #compared(revision: Revision): ComparedDocument {
    return { digest: revision.digest, read: () => this.#read(revision) }
  }

  async #read(revision: Revision): Promise<Comparable> {
    const { summary, history } = this.#deps
    const cached = this.#documents.get(revision.digest) ?? summary.find(revision.digest)
    const document = cached ?? (await summary.read(await history.readAsWritten(revision)))
    this.#documents.set(revision.digest, document)
    return document
  }

  /** The file is a copy: the index in memory stays complete when a write fails. */
  async #write(): Promise<void> {
    const added = this.#unwritten
    this.#unwritten = []
    if (added.length === 0) return
    try {
      await this.#deps.file.write(added, () => this.indexed.values())
    } catch (error) {
      this.#deps.log({ level: 'warning', message: UNWRITABLE, facts: { error } })
    }
  }
}
