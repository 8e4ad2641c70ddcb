import { LRUCache } from 'lru-cache'
import { ServiceError, unavailable } from '../core/errors.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import type { EditScript } from '../diff/edit-script.ts'
import { carryOrigins, type LineOrigins, originsOfMerge } from '../diff/line-origins.ts'
import type { History, RevisionEvent } from '../history/history.ts'
import { NumberList } from '../lib/compact/number-list.ts'
import { Turns } from '../lib/cooperative.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import type { LineOriginsFile, TracedRevision } from './line-origins-file.ts'

export interface LineOriginsDeps {
  readonly history: History
  readonly file: LineOriginsFile
  readonly script: (before: Uint8Array, after: Uint8Array) => Promise<EditScript>
  readonly log: Log
}

/** The origins of a revision's lines, or the progress of the search. */
export type OriginsAnswer =
  | { readonly done: true; readonly origins: LineOrigins }
  | { readonly done: false; readonly reached: number; readonly of: number }

interface Traced extends TracedRevision {
  readonly origins: LineOrigins
}

/** The way to a revision along first parents. */
interface Way {
  /** The newest revision on it whose origins are known; null where it leads from the beginning. */
  readonly known: Traced | null
  /** The numbers of the revisions after that, newest first. */
  readonly rest: NumberList
}

/** How far the lines of a document were traced: nowhere before the first revision. */
interface Reached {
  readonly traced: Traced | null
  readonly document: Uint8Array
}

/** The revision to which lines are traced next. */
interface Next {
  readonly revision: Revision
  readonly document: Uint8Array
  readonly number: number
}

type Report = (reached: number) => void

interface Search {
  reached: number
  readonly ended: Promise<LineOrigins>
}

/** The origins of revisions with a multiple of this as number are in the file. */
const STRIDE = 100
/** So many revisions are traced while a page waits. More are traced before anybody asks. */
const SOON = 1_000
/** The limit of line numbers in memory. */
const MOST_KEPT = 2_000_000
const NOWHERE: Reached = { traced: null, document: new Uint8Array() }
const NO_ORIGINS = new Int32Array()
const NOT_REPORTED: Report = () => undefined
const FAILED = 'The origins of lines could not be traced'
const NOT_KEPT = 'The origins of lines could not be kept'
const CHANGED = 'The history has changed. Try again'

/**
 * Finds the revision that wrote each line of a document, as `git blame` does. Lines are traced once
 * from the oldest revision on, along first parents; those of a merge that its first parent lacks are
 * traced along the others. Every hundredth revision then has its origins in a file, from which the
 * search for a later one starts. Derived from the history.
 */
export class LineOriginsIndex implements AsyncDisposable {
  readonly #deps: LineOriginsDeps
  readonly #unlisten: () => void
  readonly #found = new LRUCache<string, Traced>({
    maxSize: MOST_KEPT,
    sizeCalculation: ({ origins }) => origins.length + 1,
  })
  readonly #searches = new Map<string, Search>()
  /** The stretches that are being traced, by the numbers at both ends. */
  readonly #stretches = new Map<string, Promise<Traced>>()
  /** How often the history was rewritten: numbers before that may be those of other revisions. */
  #rewrites = 0
  #loaded: Promise<void> | null = null
  /** How many thousands of revisions were traced before anybody asked; null before {@link begin}. */
  #ahead: number | null = null
  #tracing: Promise<void> = Promise.resolve()
  #isKept = true
  #isClosed = false

  constructor(deps: LineOriginsDeps) {
    this.#deps = deps
    this.#unlisten = deps.history.onRevision((news) => this.#onRevisions(news))
  }

  /** Begins to trace many revisions before anybody asks; otherwise the first look does. */
  begin(): void {
    this.#ahead ??= 0
    this.#traceAhead()
  }

  /**
   * The number of the revision that wrote each line, if found within so many milliseconds. The
   * search continues afterwards, so a later call gets further.
   *
   * @throws {ServiceError} `unavailable` when the history is rewritten meanwhile.
   */
  async of(revision: Revision, patience: number): Promise<OriginsAnswer> {
    const number = this.#deps.history.numberOf(revision) ?? 0
    const search = this.#searches.get(revision.commit) ?? this.#start(revision)
    const origins = await firstWithin(search.ended, patience)
    if (origins !== null) return { done: true, origins }
    return { done: false, reached: search.reached, of: number }
  }

  /** Ends all searches. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#unlisten()
    const searches = [...this.#searches.values()].map(({ ended }) => ended)
    await Promise.allSettled([this.#tracing, ...this.#stretches.values(), ...searches])
  }

  #onRevisions({ isRewritten }: RevisionEvent): void {
    if (isRewritten) this.#forget()
    this.#traceAhead()
  }

  #forget(): void {
    this.#rewrites += 1
    this.#found.clear()
    if (this.#ahead !== null) this.#ahead = 0
  }

  #traceAhead(): void {
    const { history, log } = this.#deps
    const thousands = Math.floor(history.size() / SOON)
    if (this.#ahead === null || this.#ahead >= thousands || this.#isClosed) return
    this.#ahead = thousands
    this.#tracing = this.#traceUnasked(thousands * SOON, this.#tracing)
    inBackground(log, FAILED, this.#tracing)
  }

  /** What is damaged is told where it is read, and a history that is rewritten is traced anew. */
  async #traceUnasked(number: number, earlier: Promise<void>): Promise<void> {
    await Promise.allSettled([earlier])
    const revision = this.#deps.history.at(number)
    try {
      if (revision !== null) await this.#trace(revision.commit, NOT_REPORTED)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
    }
  }

  #start({ commit }: Revision): Search {
    const search = { reached: 0 }
    const report = (reached: number) => {
      search.reached = reached
    }
    const ended = this.#trace(commit, report)
    const running = Object.assign(search, { ended })
    this.#searches.set(commit, running)
    const forget = () => {
      this.#searches.delete(commit)
    }
    ended.then(forget, forget)
    return running
  }

  /** @throws {ServiceError} `unavailable` when the history is rewritten meanwhile. */
  async #trace(commit: CommitSha, report: Report): Promise<LineOrigins> {
    await (this.#loaded ??= this.#deps.file.load())
    const { known, rest } = await this.#wayTo(commit)
    let reached = known
    for (const stretch of stretchesOf(rest)) {
      report(reached?.number ?? 0)
      reached = await this.#sharedStretch(reached, stretch, report)
    }
    if (reached?.commit !== commit) throw unavailable(CHANGED)
    return reached.origins
  }

  async #wayTo(commit: CommitSha): Promise<Way> {
    const { history } = this.#deps
    const rest = new NumberList()
    const turns = new Turns()
    for (let at: CommitSha | undefined = commit; at !== undefined;) {
      const known = this.#found.get(at) ?? (await this.#filed(at))
      if (known) return { known, rest }
      rest.push(this.#numberOf(at))
      if (turns.isOver) await turns.next()
      at = history.basesOf({ commit: at })[0]
    }
    return { known: null, rest }
  }

  /** Traces on, to the next revision whose origins are kept or to the last. Searches on the same way share it. */
  #sharedStretch(
    start: Traced | null,
    numbers: readonly number[],
    report: Report,
  ): Promise<Traced> {
    const key = `${start?.commit ?? ''}..${numbers.at(-1) ?? ''}`
    const making = this.#stretches.get(key)
    if (making) return making
    const stretch = this.#makeStretch(start, numbers, report)
    this.#stretches.set(key, stretch)
    const forget = () => {
      this.#stretches.delete(key)
    }
    stretch.then(forget, forget)
    return stretch
  }

  async #makeStretch(
    start: Traced | null,
    numbers: readonly number[],
    report: Report,
  ): Promise<Traced> {
    const rewrites = this.#rewrites
    let reached = start === null ? NOWHERE : await this.#startAt(start)
    for (const number of numbers) {
      reached = await this.#next(reached, number)
      if (this.#isClosed || rewrites !== this.#rewrites) throw unavailable(CHANGED)
      report(number)
    }
    const { traced } = reached
    if (traced === null) throw unavailable(CHANGED)
    if (this.#isToKeep(traced)) await this.#keep(traced)
    return traced
  }

  async #startAt(traced: Traced): Promise<Reached> {
    return { traced, document: await this.#documentOf(traced.commit) }
  }

  async #next(reached: Reached, number: number): Promise<Reached> {
    const { history } = this.#deps
    const revision = history.at(number)
    const [first = null, ...others] = revision === null ? [] : history.basesOf(revision)
    if (revision === null || first !== (reached.traced?.commit ?? null)) throw unavailable(CHANGED)
    const document = await history.readDocument(revision)
    const origins = await this.#originsUpon(reached, others, { revision, document, number })
    const { commit } = revision
    const traced = { commit, number, beginning: history.beginningOf(number), origins }
    this.#found.set(commit, traced)
    return { traced, document }
  }

  /** A merge that has the very document of one of its parents has all lines from there. */
  async #originsUpon(
    { traced, document }: Reached,
    others: readonly CommitSha[],
    next: Next,
  ): Promise<LineOrigins> {
    const isLike = (each: CommitSha) =>
      this.#deps.history.findCommit(each)?.digest === next.revision.digest
    const isOne = traced === null || others.length === 0 || isLike(traced.commit)
    const twin = isOne ? undefined : others.find(isLike)
    if (twin !== undefined) return this.#trace(twin, NOT_REPORTED)
    const steps = await this.#deps.script(document, next.document)
    const carried = carryOrigins(traced?.origins ?? NO_ORIGINS, steps, next.number)
    if (isOne) return carried
    const all = [carried]
    for (const each of others) all.push(await this.#carryFrom(each, next))
    return originsOfMerge(all, next.number)
  }

  /** The origins of a merge that come from one of its other parents. */
  async #carryFrom(base: CommitSha, { document, number }: Next): Promise<LineOrigins> {
    const origins = await this.#trace(base, NOT_REPORTED)
    const steps = await this.#deps.script(await this.#documentOf(base), document)
    return carryOrigins(origins, steps, number)
  }

  /** Whether its origins are in the file, and the numbers in them stay those of the same revisions. */
  #isToKeep({ commit, number, beginning }: Traced): boolean {
    const { history } = this.#deps
    if (number % STRIDE > 0) return false
    const isArchived = beginning < history.beginningOf(history.size())
    return isArchived || history.isClosed({ commit })
  }

  async #keep(traced: Traced): Promise<void> {
    if (!this.#isKept) return
    try {
      await this.#deps.file.add(traced, traced.origins)
    } catch (error) {
      this.#isKept = false
      this.#deps.log({ level: 'warning', message: NOT_KEPT, facts: { error } })
    }
  }

  async #filed(commit: CommitSha): Promise<Traced | null> {
    const { history, file } = this.#deps
    const number = this.#numberOf(commit)
    const traced = file.find(number)
    if (traced?.commit !== commit || traced.beginning !== history.beginningOf(number)) return null
    const origins = await file.read(traced)
    return origins && { ...traced, origins }
  }

  #numberOf(commit: CommitSha): number {
    const number = this.#deps.history.numberOf({ commit })
    if (number === null) throw unavailable(CHANGED)
    return number
  }

  async #documentOf(commit: CommitSha): Promise<Uint8Array> {
    const { history } = this.#deps
    const revision = history.findCommit(commit)
    if (revision === null) throw unavailable(CHANGED)
    return history.readDocument(revision)
  }
}

/** The parts of a way, oldest first: each one ends where origins are kept, or at the end. */
function* stretchesOf(rest: NumberList): Generator<readonly number[]> {
  let stretch: number[] = []
  for (let place = rest.length - 1; place >= 0; place -= 1) {
    const number = rest.at(place) ?? 0
    stretch.push(number)
    if (number % STRIDE > 0 && place > 0) continue
    yield stretch
    stretch = []
  }
}

/** The value if it arrives within so many milliseconds, else null. */
async function firstWithin<Value>(value: Promise<Value>, patience: number): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, patience, null)
  })
  try {
    return await Promise.race([value, tooLong])
  } finally {
    clearTimeout(timer)
  }
}
