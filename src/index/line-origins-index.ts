import { LRUCache } from 'lru-cache'
import { ServiceError, unavailable } from '../core/errors.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import { carryOrigins, type LineOrigins, originsOfMerge } from '../diff/line-origins.ts'
import type { History } from '../history/history.ts'
import { NumberList } from '../lib/compact/number-list.ts'
import { Turns } from '../lib/cooperative.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import type { HistoryWalker } from './history-walker.ts'
import type { IndexDatabase } from './database/index-database.ts'
import { isSettled } from './index-progress.ts'
import type { IndexTables } from './tables/index-tables.ts'
import type { EditRecord } from './tables/edit-table.ts'

export interface LineOriginsDeps {
  readonly history: History
  readonly walker: HistoryWalker
  readonly database: IndexDatabase
  readonly tables: IndexTables
  readonly log: Log
}

/** The origins of a revision's lines, or the progress of the search. */
export type OriginsAnswer =
  | { readonly done: true; readonly origins: LineOrigins }
  | { readonly done: false; readonly reached: number; readonly of: number }

interface Search {
  reached: number
  readonly ended: Promise<LineOrigins>
}

/** The origins of revisions with a multiple of this as number are stored. */
const STRIDE = 100
/** The limit of line numbers in memory. */
const MAX_LINES = 2_000_000
const NO_ORIGINS = new Int32Array()
const FAILED = 'The origins of lines could not be traced'
const CHANGED = 'The history has changed. Try again'

/**
 * Finds the revision that wrote each line of a document, as `git blame` does. The index has the lines
 * that each revision replaced, so no document is read: lines are traced from the oldest revision on,
 * along first parents; those of a merge that its first parent lacks are traced along the others. Every
 * hundredth revision then has its origins stored, from which the search for a later one starts.
 */
export class LineOriginsIndex implements AsyncDisposable {
  readonly #deps: LineOriginsDeps
  readonly #unlisten: () => void
  /** By number. */
  readonly #found = new LRUCache<number, LineOrigins>({
    maxSize: MAX_LINES,
    sizeCalculation: ({ length }) => length + 1,
  })
  readonly #searches = new Map<CommitSha, Search>()
  /** How often the history was rewritten: numbers before that may be those of other revisions. */
  #rewrites = 0
  #isClosed = false
  #tracing: Promise<void> = Promise.resolve()

  constructor(deps: LineOriginsDeps) {
    this.#deps = deps
    this.#unlisten = deps.history.onRevision(({ isRewritten }) => {
      if (!isRewritten) return
      this.#rewrites += 1
      this.#found.clear()
    })
  }

  /** Traces the whole history once it is indexed, before anybody asks. */
  begin(): void {
    this.#tracing = this.#traceAll()
    inBackground(this.#deps.log, FAILED, this.#tracing)
  }

  /**
   * The number of the revision that wrote each line, if found within so many milliseconds. The
   * search continues afterwards, so a later call gets further.
   *
   * @throws {ServiceError} `unavailable` when the history is rewritten meanwhile, or cannot be read.
   */
  async of(revision: Revision, timeoutMs: number): Promise<OriginsAnswer> {
    const number = this.#deps.history.numberOf(revision) ?? 0
    const search = this.#searches.get(revision.commit) ?? this.#start(revision, number)
    const done = search.ended.then(() => undefined)
    if (await isSettled(done, timeoutMs)) return { done: true, origins: await search.ended }
    return { done: false, reached: search.reached, of: number }
  }

  /** Ends all searches. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#unlisten()
    const searches = [...this.#searches.values()].map(({ ended }) => ended)
    await Promise.allSettled([this.#tracing, ...searches])
  }

  /** A history that is rewritten meanwhile is traced when somebody asks. */
  async #traceAll(): Promise<void> {
    await this.#deps.walker.settle()
    const { history, tables } = this.#deps
    try {
      for (let number = STRIDE; number <= history.size() && !this.#isClosed; number += STRIDE)
        if (!tables.edits.hasOrigins(number)) await this.#trace(number)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
    }
  }

  #start({ commit }: Revision, number: number): Search {
    const search = { reached: 0 }
    const ended = this.#search(number, (reached) => {
      search.reached = reached
    })
    const running = Object.assign(search, { ended })
    this.#searches.set(commit, running)
    const forget = () => {
      this.#searches.delete(commit)
    }
    ended.then(forget, forget)
    return running
  }

  /** Waits for missing revisions: lines are traced as soon as all older ones are indexed. */
  async #search(number: number, report: (reached: number) => void): Promise<LineOrigins> {
    if (!this.#deps.walker.isCurrent) await this.#deps.walker.settle()
    for (const isLast of [false, true]) {
      const origins = await this.#trace(number, report)
      if (origins !== null) return origins
      if (isLast || this.#isClosed) break
      await this.#deps.walker.settle()
    }
    throw unavailable(CHANGED)
  }

  /** Null where the way leads to a revision that is not indexed. */
  async #trace(
    number: number,
    report: (reached: number) => void = () => {},
  ): Promise<LineOrigins | null> {
    const rewrites = this.#rewrites
    const turns = new Turns()
    const { edits } = this.#deps.tables
    const way = new NumberList()
    let origins: LineOrigins | null = null
    for (let at: number | undefined = number; at !== undefined && origins === null;) {
      origins = this.#found.get(at) ?? edits.origins(at)
      if (origins !== null) break
      const record = edits.find(at)
      if (record === null) return null
      way.push(at)
      at = record.bases[0]
      if (turns.isOver) await turns.next()
    }
    for (let place = way.length - 1; place >= 0; place -= 1) {
      const at = way.at(place) ?? 0
      const record = edits.find(at)
      origins = record && (await this.#originsUpon(origins ?? NO_ORIGINS, record))
      if (origins === null) return null
      if (this.#isClosed || rewrites !== this.#rewrites) throw unavailable(CHANGED)
      this.#found.set(at, origins)
      if (at % STRIDE === 0) await this.#keep(at, origins)
      report(at)
      if (turns.isOver) await turns.next()
    }
    return origins
  }

  /** A merge that has the very document of one of its parents has all lines from there. */
  async #originsUpon(before: LineOrigins, record: EditRecord): Promise<LineOrigins | null> {
    const { number, bases, edits } = record
    const [edit] = edits
    if (edit === undefined) return null
    const carried = carryOrigins(before, edit, number)
    if (bases.length < 2 || edit.changes.length === 0) return carried
    const twin = bases[edits.findIndex(({ changes }) => changes.length === 0)]
    if (twin !== undefined) return this.#trace(twin)
    const all = [carried]
    for (const [n, other] of edits.entries()) {
      if (n === 0) continue
      const origins = await this.#trace(bases[n] ?? 0)
      if (origins === null) return null
      all.push(carryOrigins(origins, other, number))
    }
    return originsOfMerge(all, number)
  }

  async #keep(number: number, origins: LineOrigins): Promise<void> {
    const { database, tables } = this.#deps
    await database.write(function* () {
      tables.edits.putOrigins(number, origins)
      yield
    })
  }
}
