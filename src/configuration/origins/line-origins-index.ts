import { LRUCache } from 'lru-cache'
import { ServiceError, unavailable } from '../../core/errors.ts'
import type { Revision } from '../../core/revision.ts'
import type { EditScript } from '../../diff/edit-script.ts'
import { carryOrigins, type LineOrigins } from '../../diff/line-origins.ts'
import type { History, RevisionEvent } from '../../history/history.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
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

/** The place before the first revision of a part of the history. */
interface Nothing {
  readonly commit: null
  readonly number: number
  readonly beginning: number
  readonly origins: LineOrigins
}

interface Search {
  reached: number
  readonly ended: Promise<LineOrigins>
}

/** How many revisions apart those are whose origins are in the file. */
const STRIDE = 100
/** So many revisions are traced while a page waits. More are traced before anybody asks. */
const SOON = 1_000
/** The limit of line numbers in memory. */
const MOST_KEPT = 2_000_000
const NO_LINES = new Uint8Array()
const FAILED = 'The origins of lines could not be traced'
const NOT_KEPT = 'The origins of lines could not be kept'
const CHANGED = 'The history has changed. Try again'

/**
 * Finds the revision that wrote each line of a document. Lines are traced once from the oldest
 * revision on; every hundredth revision then has its origins in a file, from which the search for a
 * later one starts. Derived from the history.
 */
export class LineOriginsIndex implements AsyncDisposable {
  readonly #deps: LineOriginsDeps
  readonly #unlisten: () => void
  readonly #found = new LRUCache<string, Traced>({
    maxSize: MOST_KEPT,
    sizeCalculation: ({ origins }) => origins.length + 1,
  })
  readonly #searches = new Map<string, Search>()
  /** The strides that are being made, by the number from which they start. */
  readonly #strides = new Map<number, Promise<Traced>>()
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
    const search = this.#searches.get(revision.commit) ?? this.#start(revision, number)
    const origins = await firstWithin(search.ended, patience)
    if (origins !== null) return { done: true, origins }
    return { done: false, reached: search.reached, of: number }
  }

  /** Ends all searches. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#unlisten()
    const searches = [...this.#searches.values()].map(({ ended }) => ended)
    await Promise.allSettled([this.#tracing, ...this.#strides.values(), ...searches])
  }

  #onRevisions({ isRewritten }: RevisionEvent): void {
    if (isRewritten && this.#ahead !== null) this.#ahead = 0
    this.#traceAhead()
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
    try {
      await this.#traceTo(number, () => undefined)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
    }
  }

  #start(revision: Revision, number: number): Search {
    const search = { reached: 0 }
    const report = (reached: number) => {
      search.reached = reached
    }
    const ended = this.#search(revision, number, report)
    const running = Object.assign(search, { ended })
    this.#searches.set(revision.commit, running)
    const forget = () => {
      this.#searches.delete(revision.commit)
    }
    ended.then(forget, forget)
    return running
  }

  async #search(
    revision: Revision,
    number: number,
    report: (reached: number) => void,
  ): Promise<LineOrigins> {
    const nearest = await this.#traceTo(number, report)
    const { commit, origins } = await this.#carry(nearest, number, report)
    if (commit !== revision.commit) throw unavailable(CHANGED)
    return origins
  }

  /** The nearest revision up to a number whose origins are known, once all strides to it are made. */
  async #traceTo(number: number, report: (reached: number) => void): Promise<Traced | Nothing> {
    await (this.#loaded ??= this.#deps.file.load())
    let nearest = await this.#nearest(number)
    while (endOfStride(nearest) <= number && !this.#isClosed) {
      report(nearest.number)
      nearest = await this.#stride(nearest)
    }
    return nearest
  }

  /** Traces to the next revision whose origins are kept. Searches on the same way share it. */
  #stride(start: Traced | Nothing): Promise<Traced> {
    const making = this.#strides.get(start.number)
    if (making) return making
    const stride = this.#makeStride(start)
    this.#strides.set(start.number, stride)
    const forget = () => {
      this.#strides.delete(start.number)
    }
    stride.then(forget, forget)
    return stride
  }

  async #makeStride(start: Traced | Nothing): Promise<Traced> {
    const end = await this.#carry(start, endOfStride(start), () => undefined)
    await this.#keep(end)
    return end
  }

  /** @throws {ServiceError} `unavailable` when the history is rewritten meanwhile. */
  async #carry(
    start: Traced | Nothing,
    end: number,
    report: (reached: number) => void,
  ): Promise<Traced> {
    const { history, script } = this.#deps
    const { beginning } = start
    let reached = start
    let before = start.number < end ? await this.#documentOf(start) : NO_LINES
    for (let number = start.number + 1; number <= end; number += 1) {
      const revision = history.at(number)
      const isNext = reached.commit === null || this.#isCurrent(reached)
      if (revision === null || !isNext || this.#isClosed) throw unavailable(CHANGED)
      const after = await history.readDocument(revision)
      const origins = carryOrigins(reached.origins, await script(before, after), number)
      reached = { commit: revision.commit, number, beginning, origins }
      before = after
      report(number)
    }
    if (reached.commit === null) throw unavailable(CHANGED)
    this.#found.set(reached.commit, reached)
    return reached
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

  async #nearest(number: number): Promise<Traced | Nothing> {
    const beginning = this.#deps.history.beginningOf(number)
    const found = this.#nearestFound(number)
    const least = found?.number ?? beginning - 1
    for (let filed = number - (number % STRIDE); filed > least; filed -= STRIDE) {
      const traced = this.#deps.file.find(filed)
      const isRight = traced?.beginning === beginning && this.#isCurrent(traced)
      const origins = isRight ? await this.#deps.file.read(traced) : null
      if (traced && origins) return { ...traced, origins }
    }
    return found ?? { commit: null, number: beginning - 1, beginning, origins: new Int32Array() }
  }

  /** The newest revision up to a number whose origins are in memory. */
  #nearestFound(number: number): Traced | null {
    const beginning = this.#deps.history.beginningOf(number)
    let nearest: Traced | null = null
    for (const traced of this.#found.values()) {
      const isNearer = traced.number <= number && traced.number > (nearest?.number ?? 0)
      if (isNearer && traced.beginning === beginning && this.#isCurrent(traced)) nearest = traced
    }
    return nearest
  }

  #isCurrent(traced: TracedRevision): boolean {
    return this.#deps.history.numberOf(traced) === traced.number
  }

  async #documentOf({ commit }: Traced | Nothing): Promise<Uint8Array> {
    if (commit === null) return NO_LINES
    const { history } = this.#deps
    const revision = history.findCommit(commit)
    if (revision === null) throw unavailable(CHANGED)
    return history.readDocument(revision)
  }
}

function endOfStride({ number }: Traced | Nothing): number {
  return number - (number % STRIDE) + STRIDE
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
