import type { Report } from '../revision/problems.ts'
import { inBackground } from '../../lib/in-background.ts'
import { type PackStore, packUpTo } from './log-packs.ts'
import type { LogWeight, RevisionLog } from './revision-log.ts'

/** The limits above which entries of the log are replaced by a base. */
export interface CompactionLimits {
  readonly entries: number
  /** Of packs; a base that has more is not made again before as many have come after it. */
  readonly bytes: number
}

export interface LogCompactionOptions {
  readonly log: RevisionLog
  readonly store: PackStore
  readonly limits?: CompactionLimits
  readonly report: Report
}

const LIMITS: CompactionLimits = { entries: 2_000, bytes: 32 * 1_048_576 }
/** New revisions after which the log is weighed. */
const REVISIONS_BETWEEN_LOOKS = 64

/** Keeps the log short, so that a new server has little to fetch. Reads and writes go on meanwhile. */
export class LogCompaction implements AsyncDisposable {
  readonly #options: LogCompactionOptions
  readonly #limits: CompactionLimits
  #newRevisions = REVISIONS_BETWEEN_LOOKS
  #running: Promise<void> | null = null
  #isOver = false

  constructor(options: LogCompactionOptions) {
    this.#options = options
    this.#limits = options.limits ?? LIMITS
  }

  /** Counts new revisions, and looks once there are many; the first time at once. */
  noteRevisions(count: number): void {
    this.#newRevisions += count
    if (this.#newRevisions < REVISIONS_BETWEEN_LOOKS || this.#isOver) return
    this.#newRevisions = 0
    inBackground(this.#options.report, 'The log of revisions could not be made short', this.look())
  }

  /** Weighs the log and, above a limit, replaces it by a base. One run at a time. */
  look(): Promise<void> {
    this.#running ??= this.#look().finally(() => (this.#running = null))
    return this.#running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    await this.#running?.catch(() => undefined)
  }

  async #look(): Promise<void> {
    let isShort = false
    try {
      isShort = await this.#compact()
    } catch (error) {
      if (!this.#isOver) throw error
    } finally {
      // A failed compaction is tried again with the next revision.
      if (!isShort) this.#newRevisions = REVISIONS_BETWEEN_LOOKS
    }
  }

  /** False while the log is long, or while it may be: it can be the turn of this server at any time. */
  async #compact(): Promise<boolean> {
    const { log, store, report } = this.#options
    const weight = await log.weigh()
    if (weight === null) return false
    if (!this.#isDue(weight)) return true
    const { head, entries, bytes } = weight
    // This repository may be behind: the server that appended the entry has its objects.
    if ((await store.reader.findObject(head.commit)) === null) return false
    if (!(await log.rebase({ ...head, pack: this.#readUpTo(weight) }))) return false
    const facts = { entries, bytes }
    report({ level: 'info', message: 'The log of revisions has a new base', facts })
    return true
  }

  /** Ends with the service: an incomplete base is not activated. */
  async *#readUpTo({ head }: LogWeight): AsyncGenerator<Uint8Array> {
    for await (const chunk of packUpTo(this.#options.store, head.commit)) {
      if (this.#isOver) throw new Error('The service ends')
      yield chunk
    }
  }

  #isDue({ entries, bytes, baseBytes }: LogWeight): boolean {
    return entries > this.#limits.entries || bytes > Math.max(this.#limits.bytes, baseBytes)
  }
}
