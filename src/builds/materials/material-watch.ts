import {
  SourceFailed,
  type MaterialSource,
  type SourceModification,
  type RevisionSpan,
} from '../../sources/modification.ts'
import type { Semaphore } from '../../lib/semaphore.ts'

/** The pause after failures grows up to this limit, in milliseconds. */
const MAX_PAUSE_MS = 600_000

/** Shared by the watches that have nothing to do: a large configuration has tens of thousands. */
const IDLE: Promise<unknown> = Promise.resolve()

export interface MaterialWatchOptions {
  /** Opens the repository, for each call anew. */
  readonly source: () => MaterialSource
  /** Shared by all materials. */
  readonly polls: Semaphore
  /** For polls of failing materials, which may block for long: the others do not wait for them. */
  readonly failingPolls: Semaphore
  /** For queries for changes, which may take long: polls do not wait for them. */
  readonly queries: Semaphore
  /**
   * Milliseconds from the end of one poll to the next; null for a material that is polled on demand
   * only.
   */
  readonly interval: number | null
  /** Milliseconds before the first poll. */
  readonly first: number
  /** Called after every poll. */
  readonly polled: (watch: MaterialWatch, error: unknown) => void
}

/** Polls one repository periodically, with one call at a time. */
export class MaterialWatch implements Disposable {
  readonly #options: MaterialWatchOptions
  #last = IDLE
  #coming: Promise<string> | null = null
  /** The queries for changes that are under way, by their spans. */
  readonly #asked = new Map<string, Promise<readonly SourceModification[] | null>>()
  #timer: NodeJS.Timeout | null = null
  #closed = false
  #latest: string | null = null
  #failures = 0
  #reason: string | null = null

  constructor(options: MaterialWatchOptions) {
    this.#options = options
    if (options.interval !== null) this.#pollIn(options.first)
  }

  /** The newest polled revision, or null before the first successful poll. */
  get latest(): string | null {
    return this.#latest
  }

  /** Why the last poll failed, or null. */
  get reason(): string | null {
    return this.#reason
  }

  /** The number of failed polls since the last successful one. */
  get failures(): number {
    return this.#failures
  }

  /**
   * The newest revision, from a poll that starts after the call.
   *
   * @throws {SourceFailed} when the repository cannot be read.
   */
  poll(): Promise<string> {
    const { polls, failingPolls } = this.#options
    this.#coming ??= this.#inTurn(
      () => {
        this.#coming = null
        return this.#poll()
      },
      this.#failures > 0 ? failingPolls : polls,
    )
    return this.#coming
  }

  /**
   * The changes of a span, from one query for all who ask before it has ended: a revision may start hundreds of
   * pipelines.
   *
   * @throws {SourceFailed} when the repository cannot be read.
   */
  changes(span: RevisionSpan): Promise<readonly SourceModification[] | null> {
    const { source, queries } = this.#options
    const key = JSON.stringify([span.after, span.upTo])
    const asked = this.#asked.get(key)
    if (asked) return asked
    const changes = this.#inTurn(() => source().changes(span), queries).finally(() =>
      this.#asked.delete(key),
    )
    this.#asked.set(key, changes)
    return changes
  }

  /** @throws {SourceFailed} when the repository cannot be read. */
  find(revision: string): Promise<string | null> {
    const { source, queries } = this.#options
    return this.#inTurn(() => source().find(revision), queries)
  }

  /** Resolves when no call is pending. */
  async ended(): Promise<void> {
    await this.#last
  }

  /** Stops polling. */
  [Symbol.dispose](): void {
    this.#closed = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  async #poll(): Promise<string> {
    if (this.#timer) clearTimeout(this.#timer)
    try {
      const revision = await this.#options.source().newest()
      this.#succeed(revision)
      return revision
    } catch (error) {
      this.#fail(error)
      throw error
    } finally {
      this.#pollLater()
    }
  }

  #succeed(revision: string): void {
    this.#latest = revision
    this.#failures = 0
    this.#reason = null
    if (!this.#closed) this.#options.polled(this, null)
  }

  #fail(error: unknown): void {
    this.#failures += 1
    this.#reason = error instanceof SourceFailed ? error.message : 'It cannot be polled'
    if (!this.#closed) this.#options.polled(this, error)
  }

  #pollLater(): void {
    const { interval } = this.#options
    if (interval === null || this.#closed) return
    const longest = Math.max(interval, MAX_PAUSE_MS)
    const pause = Math.min(interval * 2 ** this.#failures, longest)
    this.#pollIn(pause)
  }

  /** Failures are reported to `polled`. */
  #pollIn(pause: number): void {
    this.#timer = setTimeout(() => {
      this.poll().catch(() => undefined)
    }, pause)
    this.#timer.unref()
  }

  #inTurn<Result>(job: () => Promise<Result>, limit: Semaphore): Promise<Result> {
    const turn = this.#last.then(() =>
      limit.run(() => {
        if (this.#closed) throw new SourceFailed('The material is no longer watched')
        return job()
      }),
    )
    this.#last = turn.catch(() => undefined)
    return turn
  }
}
