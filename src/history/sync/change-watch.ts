import { type FSWatcher, watch } from 'node:fs'
import type { Report } from '../revision/problems.ts'

export interface ChangeWatchOptions {
  /** Folders, never files: a watch on a file stops working after a rename. */
  readonly folders: readonly string[]
  /** Milliseconds between two checks without events. */
  readonly interval: number
  readonly check: () => Promise<void>
  readonly report: Report
}

/** Events come in bursts; one check answers a whole one. */
const BURST = 20

/** Runs a check soon after a change in the folders, and at regular intervals. */
export class ChangeWatch implements AsyncDisposable {
  readonly #options: ChangeWatchOptions
  readonly #watchers: FSWatcher[] = []
  #timer: NodeJS.Timeout | null = null
  #due = Infinity
  #running: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: ChangeWatchOptions) {
    this.#options = options
    for (const folder of options.folders) this.#watch(folder)
    this.wakeIn(options.interval)
  }

  /** Requests a check after this time, unless an earlier one is due. */
  wakeIn(delay: number): void {
    const due = performance.now() + delay
    if (this.#isClosed || due >= this.#due) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#due = due
    this.#timer = setTimeout(() => this.#start(), delay)
    this.#timer.unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    if (this.#timer) clearTimeout(this.#timer)
    for (const watcher of this.#watchers) watcher.close()
    await this.#running
  }

  #start(): void {
    this.#due = Infinity
    this.#running = this.#running.then(async () => {
      if (!this.#isClosed) await this.#options.check()
      this.wakeIn(this.#options.interval)
    })
  }

  #watch(folder: string): void {
    const deaf = (error: unknown) =>
      this.#options.report({
        level: 'warning',
        message: `Changes in ${folder} are noticed at intervals only`,
        facts: { error: String(error) },
      })
    try {
      const watcher = watch(folder, { persistent: false }, () => this.wakeIn(BURST))
      watcher.on('error', deaf)
      this.#watchers.push(watcher)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      deaf(error)
    }
  }
}
