import type { Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { Turns } from '../../lib/cooperative.ts'

/** An aggregate over revisions, updated incrementally, oldest first. */
export interface Collection {
  /** @param place how many revisions of the list are older. */
  add(revision: Revision, place: number): void
}

/** The revisions that are read from the history at once. */
const AT_ONCE = 500

/**
 * A collection of all revisions that grows with the history: each revision is added once, so that a
 * look at it after a save costs the same however long the history is.
 */
export class Growing<Collected extends Collection> {
  readonly #history: History
  readonly #begin: () => Collected
  #collected: Collected
  #size = 0
  /** The newest revision that was added. */
  #newest: Revision | null = null
  #work: Promise<Collected> | null = null

  constructor(history: History, begin: () => Collected) {
    this.#history = history
    this.#begin = begin
    this.#collected = begin()
  }

  /** The collection with the newest revision in it; long ones grow in turns. */
  read(): Promise<Collected> {
    this.#work ??= this.#catchUp().finally(() => {
      this.#work = null
    })
    return this.#work
  }

  async #catchUp(): Promise<Collected> {
    const turns = new Turns()
    while (!this.#isWhole()) {
      if (!this.#isBelow()) this.#beginAnew()
      await this.#addUpTo(this.#history.current(), turns)
    }
    return this.#collected
  }

  /** A merge can add revisions below the newest one. */
  #isWhole(): boolean {
    return this.#isNewest() && this.#size === this.#history.kept()
  }

  /** Whether all that is missing came after what is there. */
  #isBelow(): boolean {
    return this.#newest !== null && !this.#isNewest() && this.#history.isClosed(this.#newest)
  }

  #isNewest(): boolean {
    return this.#newest?.commit === this.#history.current().commit
  }

  /** A history that is rewritten meanwhile has another newest revision then, and is collected anew. */
  async #addUpTo(newest: Revision, turns: Turns): Promise<void> {
    const end = this.#history.kept()
    while (this.#size < end) {
      const limit = Math.min(AT_ONCE, end - this.#size)
      const offset = this.#history.kept() - this.#size - limit
      const page = this.#history.list({ offset, limit })
      for (const [n, revision] of page.toReversed().entries()) {
        this.#collected.add(revision, this.#size + n)
      }
      this.#size += limit
      if (turns.isOver) await turns.next()
    }
    this.#newest = newest
  }

  #beginAnew(): void {
    this.#collected = this.#begin()
    this.#size = 0
    this.#newest = null
  }
}
