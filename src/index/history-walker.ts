import { setImmediate as nextTurn } from 'node:timers/promises'
import { ServiceError } from '../core/errors.ts'
import type { Revision } from '../core/revision.ts'
import type { History } from '../history/history.ts'
import { bisect } from '../lib/bisect.ts'
import { Turns } from '../lib/cooperative.ts'
import { Emitter } from '../lib/emitter.ts'
import type { Log } from '../lib/log.ts'
import { Backoff } from '../lib/retry.ts'
import type { IndexDatabase } from './database/index-database.ts'
import { type IndexProgress, isSettled } from './index-progress.ts'
import {
  type IndexTables,
  recordOf,
  type StepRecord,
  unreadableRecord,
  weightOf,
} from './tables/index-tables.ts'
import { NumberRanges, type Range } from './database/number-ranges.ts'
import { StepReader, type StepReaderDeps } from './read-step.ts'

export interface HistoryWalkerDeps extends StepReaderDeps {
  readonly history: History
  /** Examines every listed revision once, before it counts as indexed. */
  readonly examine?: (revision: Revision) => Promise<void>
  readonly log: Log
}

/** The revisions of one transaction, and the bytes of what is found of them. */
const PAGE = 50
const MAX_UNWRITTEN = 1_048_576
/** The pauses after failures, such as those of a full disk. */
const PAUSES = { fromMs: 200, toMs: 60_000 }
const FAILED = 'The history could not be indexed'

/**
 * Reads each revision once, in the background, and has all tables of the index take from it what they
 * need. The newest pages of revisions come first; within one the oldest revision does, so that the
 * document before is at hand.
 */
export class HistoryWalker implements AsyncDisposable {
  readonly #deps: HistoryWalkerDeps
  readonly #database: IndexDatabase
  readonly #tables: IndexTables
  readonly #reader: StepReader
  readonly #pages = new Emitter()
  readonly #unlisten: () => void
  readonly #turns = new Turns()
  readonly #backoff = new Backoff(PAUSES)
  #next: NodeJS.Timeout | undefined
  #walked = new NumberRanges()
  /** Whether what was walked is known to be of the history as it is. */
  #isAligned = false
  /** Whether something is there that has yet to be dropped. */
  #isDropping = false
  #isBegun = false
  #isClosed = false
  #work: Promise<void> | null = null

  constructor(deps: HistoryWalkerDeps, database: IndexDatabase, tables: IndexTables) {
    this.#deps = deps
    this.#database = database
    this.#tables = tables
    this.#reader = new StepReader(deps)
    this.#unlisten = deps.history.onRevision(({ isRewritten }) => {
      this.#isAligned &&= !isRewritten
      this.#wake()
    })
    database.onReplaced(() => {
      this.#walked = new NumberRanges()
      this.#wake()
    })
  }

  /** Begins to walk; otherwise the first question does. */
  begin(): void {
    if (this.#isBegun || this.#isClosed) return
    this.#isBegun = true
    this.#load()
    this.#wake()
  }

  isWalked(number: number): boolean {
    return this.#walked.has(number)
  }

  /** How many of the listed revisions are indexed, and how many there are. */
  progress(): IndexProgress {
    const { history } = this.#deps
    const listed = { low: history.archived + 1, high: history.size() }
    return { indexed: this.#walked.countWithin(listed), of: history.kept() }
  }

  /** Whether nothing is there of revisions that the history no longer has. */
  get isCurrent(): boolean {
    return this.#isAligned && !this.#isDropping
  }

  /** Whether every revision is indexed, or could not be. */
  get isComplete(): boolean {
    return this.#isBegun && this.#isAligned && this.#work === null && this.#nextPage() === null
  }

  /** Resolves when every revision is indexed, or could not be. */
  async settle(): Promise<void> {
    if (this.isComplete) return
    this.begin()
    this.#wake()
    await this.#work
  }

  /** Waits for something that is there once enough is walked, for so many milliseconds at most. */
  async waitFor(isThere: () => boolean, timeoutMs: number): Promise<void> {
    this.begin()
    if (isThere()) return
    let unlisten: (() => void) | undefined
    const walked = new Promise<void>((resolve) => {
      unlisten = this.#pages.on(() => {
        if (isThere()) resolve()
      })
    })
    await isSettled(Promise.race([walked, this.settle()]), timeoutMs)
    unlisten?.()
  }

  /** Stops; the rest is walked at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#next)
    this.#unlisten()
    await this.#work
  }

  /** Revisions that could not be read are tried again at each start. */
  #load(): void {
    for (const range of this.#tables.revisions.walked()) this.#walked.add(range)
    for (const number of this.#tables.revisions.unreadable())
      this.#walked.remove({ low: number, high: number })
  }

  #wake(): void {
    if (!this.#isBegun || this.#isClosed) return
    this.#work ??= this.#run()
  }

  /** Walks until nothing is missing; after a failure it goes on after a pause, or with the next revision or question. */
  async #run(): Promise<void> {
    await nextTurn()
    try {
      for (;;) {
        if (!this.#isAligned) await this.#align()
        const page = this.#isClosed ? null : this.#nextPage()
        if (page === null) return
        await this.#walk(page)
        this.#backoff.reset()
        this.#pages.emit()
      }
    } catch (error) {
      this.#deps.log({ level: 'error', message: FAILED, facts: { error } })
      clearTimeout(this.#next)
      this.#next = setTimeout(() => this.#wake(), this.#backoff.next()).unref()
    } finally {
      this.#work = null
      this.#reader.clear()
    }
  }

  #nextPage(): Range | null {
    for (const { first, last } of this.#deps.history.parts()) {
      const gap = this.#walked.highestGap({ low: first, high: last })
      if (gap !== null) return { low: Math.max(gap.low, gap.high - PAGE + 1), high: gap.high }
    }
    return null
  }

  async #walk({ low, high }: Range): Promise<void> {
    let records: StepRecord[] = []
    let weight = 0
    for (let number = low; number <= high; number += 1) {
      if (this.#turns.isOver) await this.#turns.next()
      const revision = this.#deps.history.at(number)
      if (this.#isClosed || !this.#isAligned || revision === null) return
      const record = await this.#record(number, revision)
      records.push(record)
      weight += weightOf(record)
      if (weight < MAX_UNWRITTEN && number < high) continue
      await this.#write(records)
      records = []
      weight = 0
    }
  }

  async #record(number: number, revision: Revision): Promise<StepRecord> {
    try {
      const step = await this.#reader.read(number, revision)
      if (this.#turns.isOver) await this.#turns.next()
      const record = recordOf(step)
      if (record.changes?.isListed) await this.#deps.examine?.(revision)
      return record
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      // What a rewritten history has no longer is missed by nobody.
      if (this.#isAligned) this.#deps.log({ level: 'warning', message: error.message })
      return unreadableRecord(number, revision)
    }
  }

  /**
   * Writes records, unless the history was rewritten: the numbers may be those of other revisions.
   */
  async #write(records: readonly StepRecord[]): Promise<void> {
    const [first, last] = [records[0], records.at(-1)]
    const isSame = records.every(({ number, revision: { commit } }) => {
      return this.#deps.history.at(number)?.commit === commit
    })
    if (!first || !last || !isSame || !this.#isAligned) return
    const walked = { low: first.number, high: last.number }
    const tables = this.#tables
    const ranges = new NumberRanges(this.#walked.descending())
    ranges.add(walked)
    const isWritten = await this.#database.write(function* () {
      yield* tables.put(records)
      tables.revisions.putWalked(ranges.descending())
    })
    if (isWritten) this.#walked.add(walked)
  }

  /**
   * Drops what was found of revisions that the history has no longer, or has at other numbers. Where a
   * revision stayed below which the list has exactly its own history, everything below it stayed too.
   */
  async #align(): Promise<void> {
    this.#isAligned = true
    const agreed = this.#agreed()
    const last = this.#walked.descending()[0]?.high ?? 0
    if (last <= agreed && !this.#isDropping) return
    this.#walked.remove({ low: agreed + 1, high: last })
    const [tables, ranges] = [this.#tables, this.#walked.descending()]
    this.#isDropping = true
    try {
      await this.#database.write(function* () {
        tables.dropAbove(agreed)
        tables.revisions.putWalked(ranges)
        yield
      })
    } catch (error) {
      this.#isAligned = false
      throw error
    }
    this.#isDropping = false
  }

  /** The highest number below which everything that was walked is of the history as it is. */
  #agreed(): number {
    const { archived } = this.#deps.history
    for (const { low, high } of this.#walked.descending()) {
      if (high <= archived) return high
      const start = Math.max(low, archived + 1)
      const end = bisect({ low: start, high: high + 1 }, (number) => this.#isSame(number))
      for (let number = end - 1; number >= start; number -= 1)
        if (this.#isSame(number) && this.#isClosedAt(number)) return number
    }
    return archived
  }

  #isSame(number: number): boolean {
    const revision = this.#deps.history.at(number)
    return revision !== null && this.#tables.revisions.isAt(number, revision)
  }

  #isClosedAt(number: number): boolean {
    const revision = this.#deps.history.at(number)
    const isClosed = revision !== null && this.#deps.history.isClosed(revision)
    return isClosed && this.#tables.revisions.find(number)?.isClosed === true
  }
}
