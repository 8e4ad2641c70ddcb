import { LRUCache } from 'lru-cache'
import type { Digest } from '../core/digest.ts'
import { ServiceError } from '../core/errors.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import type { History, RevisionEvent } from '../history/history.ts'
import type { DiffPool } from '../diff/diff-pool.ts'
import { Turns } from '../lib/cooperative.ts'
import type { Log } from '../lib/log.ts'
import { type IndexProgress, waitForIndex } from './index-progress.ts'
import type { CommitNumbers } from './commit-numbers.ts'
import { CommitsBefore } from './commits-before.ts'
import { type ChangedText, changedTextOf, SearchedText } from './changed-text.ts'
import { type ChangedTextFile, type TextRecord, textRecordsIn } from './changed-text-file.ts'

export interface TextIndexDeps {
  readonly history: History
  readonly file: ChangedTextFile
  readonly script: DiffPool['script']
  /** A document that is in memory, as readers may see it; null for others. */
  readonly findRead?: (digest: Digest) => Uint8Array | null
  readonly log: Log
  /** Where other indexes of the same history number its commits too. */
  readonly commits?: CommitNumbers
  /** How long a search waits for the index to be complete, in milliseconds. */
  readonly patience?: number
}

const PAGE = 100
/** Records are written in groups of about this many bytes. */
const UNWRITTEN = 1_048_576
const NOTHING = new Uint8Array()
const FAILED = 'The text of revisions could not be indexed'

/**
 * Finds the revisions that changed how often a text occurs in the configuration, as `git log -S`
 * does: a merge changes nothing itself. Derived from the history: a file has the changed lines of
 * each revision, made once, in the background and newest first. A search reads this file and no
 * documents, unless the text spans lines.
 */
export class TextIndex implements AsyncDisposable {
  readonly #deps: TextIndexDeps
  readonly #unlisten: () => void
  readonly #turns = new Turns()
  readonly #documents = new LRUCache<Digest, Uint8Array>({ max: 2 })
  /** The recorded revisions, each with the one upon which it came. */
  readonly #recorded: CommitsBefore
  readonly #unreadable = new Set<CommitSha>()
  #unwritten: TextRecord[] = []
  #isClosed = false
  #isBegun = false
  #work: Promise<void> = Promise.resolve()

  constructor(deps: TextIndexDeps) {
    this.#deps = deps
    this.#recorded = new CommitsBefore(deps.commits)
    this.#unlisten = deps.history.onRevision((event) => this.#onRevisions(event))
  }

  /** Begins to index; otherwise the first search does. */
  begin(): void {
    if (this.#isBegun || this.#isClosed) return
    this.#isBegun = true
    this.#then(() => this.#load())
  }

  /** How many revisions are indexed, and how many there are. */
  progress(): IndexProgress {
    const { indexed, of } = this.#counts()
    return { indexed: Math.min(indexed, of), of }
  }

  /**
   * The revisions that changed how often a text occurs.
   *
   * @throws {ServiceError} `unavailable` when indexing takes too long.
   */
  async search(text: string): Promise<ReadonlySet<CommitSha>> {
    await waitForIndex(this.#settled(), () => this.progress(), this.#deps.patience)
    return this.searchIndexed(text)
  }

  /** The same, of the revisions that are indexed already. */
  async searchIndexed(text: string): Promise<ReadonlySet<CommitSha>> {
    this.begin()
    const searched = new SearchedText(text)
    const found = new Set<CommitSha>()
    let isWhole = true
    const groups = this.#deps.file.groups((texts) => searched.mayBeAmong(texts))
    for await (const { bytes, records, isCut } of groups) {
      // A group that has the text nowhere after all is known soonest by its bytes.
      if (!isCut && !searched.mayBeIn(bytes)) continue
      let read = 0
      for (const record of textRecordsIn(bytes)) {
        read += 1
        if (await this.#isEffect(searched, record)) found.add(record.commit)
      }
      isWhole &&= read === records
    }
    if (!isWhole) this.#then(() => this.#load())
    return found
  }

  /** Stops indexing; the rest is indexed at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#unlisten()
    await this.#work
  }

  /** What was indexed of this and other histories, and the revisions of this one. */
  #counts(): IndexProgress {
    const of = this.#deps.history.kept()
    return { indexed: this.#recorded.size + this.#unreadable.size, of }
  }

  /** Resolves when every current revision is indexed, or could not be. */
  async #settled(): Promise<void> {
    this.begin()
    const { indexed, of } = this.progress()
    if (indexed < of) this.#then(() => this.#indexAll())
    await this.#work
  }

  #onRevisions({ added, isRewritten }: RevisionEvent): void {
    if (!this.#isBegun) return
    if (isRewritten) this.#unreadable.clear()
    this.#then(() => (isRewritten ? this.#indexAll() : this.#indexAdded(added)))
  }

  async #indexAdded(added: Iterable<Revision>): Promise<void> {
    const { history } = this.#deps
    for (const revision of added) {
      if (this.#isClosed) return
      const isThere = history.findCommit(revision.commit) !== null
      if (isThere) await this.#index(revision)
    }
  }

  /** A failure is only logged: missing revisions are indexed at the next start. */
  #then(work: () => Promise<void>): void {
    const earlier = this.#work
    this.#work = (async () => {
      await earlier
      try {
        if (!this.#isClosed) await work()
        await this.#write()
      } catch (error) {
        this.#deps.log({ level: 'error', message: FAILED, facts: { error } })
      } finally {
        this.#documents.clear()
      }
    })()
  }

  async #load(): Promise<void> {
    this.#recorded.clear()
    for await (const { commit, previous } of this.#deps.file.load()) {
      this.#recorded.set(commit, previous)
    }
    await this.#indexAll()
  }

  async #indexAll(): Promise<void> {
    const { history } = this.#deps
    for (let offset = 0; offset < history.kept() && !this.#isClosed; offset += PAGE) {
      for (const { commit, bases } of history.listLineage({ offset, limit: PAGE })) {
        if (this.#isIndexed(commit, bases[0] ?? null)) continue
        const revision = history.findCommit(commit)
        if (revision !== null) await this.#index(revision)
      }
      if (this.#turns.isOver) await this.#turns.next()
    }
    this.#forgetOthers()
  }

  /** Revisions that a rewritten history no longer has count as nothing. */
  #forgetOthers(): void {
    const { indexed, of } = this.#counts()
    if (indexed === of) return
    const { history } = this.#deps
    const isThere = (commit: CommitSha) => history.findCommit(commit) !== null
    this.#recorded.keep(isThere)
    for (const commit of this.#unreadable) if (!isThere(commit)) this.#unreadable.delete(commit)
  }

  #isIndexed(commit: CommitSha, previous: CommitSha | null): boolean {
    return this.#recorded.isAfter(commit, previous) || this.#unreadable.has(commit)
  }

  async #index(revision: Revision): Promise<void> {
    if (this.#turns.isOver) await this.#turns.next()
    const { commit } = revision
    const [previous = null, ...others] = this.#deps.history.basesOf(revision)
    if (this.#isClosed || this.#isIndexed(commit, previous)) return
    try {
      const places = others.length > 0 ? [] : await this.#changedText(revision)
      await this.#keep({ commit, previous, places })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      this.#unreadable.add(commit)
      this.#deps.log({ level: 'warning', message: error.message })
    }
  }

  async #changedText(revision: Revision): Promise<readonly ChangedText[]> {
    const before = this.#deps.history.previousOf(revision)
    const after = await this.#read(revision)
    const older = before === null ? NOTHING : await this.#read(before)
    return changedTextOf({ before: older, after }, this.#deps.script)
  }

  async #keep(record: TextRecord): Promise<void> {
    this.#unwritten.push(record)
    const size = this.#unwritten.reduce((sum, { places }) => sum + sizeOf(places), 0)
    if (size >= UNWRITTEN || this.#unwritten.length >= PAGE) await this.#write()
  }

  async #write(): Promise<void> {
    const records = this.#unwritten
    this.#unwritten = []
    if (records.length === 0) return
    await this.#deps.file.append(records)
    for (const { commit, previous } of records) this.#recorded.set(commit, previous)
  }

  /** The two revisions of a record; null where the history no longer has them one upon the other. */
  #pairOf({ commit, previous }: TextRecord): RecordedPair | null {
    const { history } = this.#deps
    const revision = history.findCommit(commit)
    if (revision === null) return null
    const before = history.previousOf(revision)
    return (before?.commit ?? null) === previous ? { revision, before } : null
  }

  /** Whether a revision of this history changed how often the text occurs. */
  async #isEffect(searched: SearchedText, record: TextRecord): Promise<boolean> {
    const effect = searched.effectOf(record.places)
    const pair = effect === 'none' ? null : this.#pairOf(record)
    return pair !== null && (effect === 'changed' || this.#isChanged(searched, pair))
  }

  async #isChanged(searched: SearchedText, { revision, before }: RecordedPair): Promise<boolean> {
    const older = before === null ? 0 : searched.countIn(await this.#read(before))
    return searched.countIn(await this.#read(revision)) !== older
  }

  async #read(revision: Revision): Promise<Uint8Array> {
    const { history, findRead } = this.#deps
    const cached = this.#documents.get(revision.digest) ?? findRead?.(revision.digest)
    const document = cached ?? (await history.readDocument(revision))
    this.#documents.set(revision.digest, document)
    return document
  }
}

interface RecordedPair {
  readonly revision: Revision
  readonly before: Revision | null
}

function sizeOf(places: TextRecord['places']): number {
  return places.reduce((sum, { before, after }) => sum + before.length + after.length, 0)
}
