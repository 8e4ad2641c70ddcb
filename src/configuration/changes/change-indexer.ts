import { setImmediate as nextTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { DocumentChange } from '../../document/entities/change.ts'
import type { Comparable } from '../../document/changes/summarise-changes.ts'
import type { Digest } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Log } from '../../lib/log.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import type { History, RevisionEvent } from '../../history/history.ts'
import { fsErrorCode } from '../../storage/fs-error.ts'
import type { ChangesFile } from './changes-file.ts'
import type { ChangeSummary } from './change-summary.ts'
import { type RevisionChanges, changesOfRevision } from './revision-changes.ts'
import { IndexedChanges } from './indexed-changes.ts'

export interface ChangeIndexerDeps {
  readonly history: History
  readonly summary: ChangeSummary
  readonly file: ChangesFile
  /** Looks at every revision once, before it counts as told. */
  readonly examine?: (revision: Revision) => Promise<void>
  readonly log: Log
}

const PAGE = 100
/** How many revisions are found out before they are written down. */
const UNWRITTEN = 200
const FAILED = 'What revisions have changed could not be found out'
const UNREADABLE = 'What revisions have changed could not be read and is found out again'
const UNWRITABLE = 'What revisions have changed could not be written down'

/**
 * Finds out what each revision changed, once, in the background and the newest first, and keeps it
 * in a file that can be deleted at any time. What is kept of a revision names the one before it, so
 * a history that is rewritten makes nothing in it wrong.
 */
export class ChangeIndexer implements AsyncDisposable {
  readonly indexed = new IndexedChanges()
  readonly #deps: ChangeIndexerDeps
  readonly #documents = new LRUCache<Digest, Comparable>({ max: 2 })
  readonly #unlisten: () => void
  #unwritten: RevisionChanges[] = []
  #isClosed = false
  #isBegun = false
  #work: Promise<void> = Promise.resolve()

  constructor(deps: ChangeIndexerDeps) {
    this.#deps = deps
    this.#unlisten = deps.history.onRevision((news) => this.#onRevisions(news))
  }

  /** Reads what is kept, and finds out the rest. A start does not wait for that. */
  begin(): void {
    if (this.#isBegun || this.#isClosed) return
    this.#isBegun = true
    this.#then(() => this.#load())
  }

  isIndexed(revision: Revision): boolean {
    return this.indexed.find(revision.commit)?.previous === this.#before(revision)
  }

  /** Resolves when every revision that there is now has been told, or could not be. */
  async settle(): Promise<void> {
    this.begin()
    if (!this.isIndexed(this.#deps.history.current())) this.#then(() => this.#learnNewest())
    await this.#work
  }

  /** Ends what is still being found out; the rest is found out at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#unlisten()
    await this.#work
    await this.#write()
  }

  #onRevisions({ added, isRewritten }: RevisionEvent): void {
    if (!this.#isBegun) return
    this.#then(async () => {
      if (isRewritten) await this.#learnAll()
      else for (const revision of added.toReversed()) await this.#learn(revision)
    })
  }

  #then(work: () => Promise<void>): void {
    const earlier = this.#work
    this.#work = this.#run(async () => {
      await earlier
      await work()
    })
  }

  /** Work in the background fails alone: what is not known is asked again at the next start. */
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
    for (const told of await this.#kept()) this.indexed.take(told)
    await this.#learnAll()
  }

  async #kept(): Promise<readonly RevisionChanges[]> {
    try {
      return await this.#deps.file.load()
    } catch (error) {
      if (fsErrorCode(error) === null) throw error
      this.#deps.log({ level: 'warning', message: UNREADABLE, facts: { error } })
      return []
    }
  }

  async #learnAll(): Promise<void> {
    const { history } = this.#deps
    for (let offset = 0; offset < history.size() && !this.#isClosed; offset += PAGE) {
      const page = history.list({ offset, limit: PAGE + 1 })
      for (const [n, revision] of page.slice(0, PAGE).entries()) {
        const before = page[n + 1]?.commit ?? null
        if (this.indexed.find(revision.commit)?.previous !== before) await this.#learn(revision)
      }
      await nextTurn()
    }
  }

  /** For whoever asks after the history has changed and before it has told so. */
  async #learnNewest(): Promise<void> {
    const { history } = this.#deps
    for (let offset = 0; offset < history.size(); offset += 1) {
      const [revision] = history.list({ offset, limit: 1 })
      if (!revision || this.isIndexed(revision)) return
      await this.#learn(revision)
    }
  }

  async #learn(revision: Revision): Promise<void> {
    const { commit } = revision
    const previous = this.#before(revision)
    if (this.#isClosed || this.isIndexed(revision)) return
    const changes = await this.#changes(revision, previous)
    if (changes === null) return
    await this.#deps.examine?.(revision)
    const told = changesOfRevision({ commit, previous }, changes)
    this.indexed.take(told)
    this.#unwritten.push(told)
    if (this.#unwritten.length >= UNWRITTEN) await this.#write()
    await nextTurn()
  }

  /** Null where the repository no longer has a document; the others are told all the same. */
  async #changes(
    revision: Revision,
    before: CommitSha | null,
  ): Promise<readonly DocumentChange[] | null> {
    const previous = before && this.#deps.history.findCommit(before)
    try {
      const after = await this.#read(revision)
      const older = previous && (await this.#read(previous))
      await nextTurn()
      return await this.#deps.summary.compareInTurns(older, after)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      this.#deps.log({ level: 'warning', message: error.message })
      return null
    }
  }

  async #read(revision: Revision): Promise<Comparable> {
    const { summary, history } = this.#deps
    const known = this.#documents.get(revision.digest) ?? summary.find(revision.digest)
    const document = known ?? (await summary.readInTurns(await history.readDocument(revision)))
    this.#documents.set(revision.digest, document)
    return document
  }

  #before(revision: Revision): CommitSha | null {
    const { history } = this.#deps
    const offset = history.size() - (history.numberOf(revision) ?? 0) + 1
    return history.list({ offset, limit: 1 })[0]?.commit ?? null
  }

  /** The file is a copy: what cannot be written to it is known all the same. */
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
