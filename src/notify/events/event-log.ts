import {
  EVENT_LIST,
  eventKey,
  EVENTS,
  type NumberedEvent,
} from '../../core/service/service-event.ts'
import type { Clock } from '../../lib/clock.ts'
import { Emitter } from '../../lib/emitter.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import { listCounter } from '../../state/documents.ts'
import type { StateStore } from '../../state/state-store.ts'

export interface EventLogOptions {
  readonly store: StateStore
  readonly clock: Clock
  readonly log: Log
}

const PRUNE_INTERVAL_MS = 3_600_000
/** The time for which events are retained for receivers that are away, in milliseconds. */
const RETENTION_MS = 7 * 24 * 3_600_000
const MAX_PAGE = 100

/** The log of events, from which everybody who is told of them reads at a pace of their own. */
export class EventLog implements AsyncDisposable {
  readonly #options: EventLogOptions
  readonly #appended = new Emitter()
  readonly #timer: NodeJS.Timeout
  #pruning: Promise<unknown> = Promise.resolve()

  constructor(options: EventLogOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#pruneSoon(), PRUNE_INTERVAL_MS).unref()
    this.#pruneSoon()
  }

  /** The number of the newest event; 0 when there is none. */
  newest(): Promise<number> {
    return this.#options.store.counter(listCounter(EVENT_LIST))
  }

  /** Events after a number, oldest first: a page of them. None means that there are no more. */
  async after(number: number): Promise<readonly NumberedEvent[]> {
    const newest = await this.newest()
    for (let from = number; from < newest; from += MAX_PAGE) {
      const offset = Math.max(0, newest - from - MAX_PAGE)
      const limit = Math.min(MAX_PAGE, newest - from)
      const { items } = await this.#options.store.page(EVENTS, EVENT_LIST, { offset, limit })
      // Where some were removed, the page goes on below them.
      const later = items.filter((each) => each.number > from)
      if (later.length > 0) return later.toReversed()
    }
    return []
  }

  /** Calls the listener when there may be new events; returns a function that unsubscribes it. */
  onAppended(listener: () => void): () => void {
    return this.#appended.on(listener)
  }

  /** Announces that events may have been added. */
  announce(): void {
    this.#appended.emit()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await Promise.allSettled([this.#pruning])
  }

  #pruneSoon(): void {
    this.#pruning = this.#prune()
    inBackground(this.#options.log, 'Old events could not be removed', this.#pruning)
  }

  async #prune(): Promise<void> {
    const { store, clock } = this.#options
    const before = clock() - RETENTION_MS
    const stored = await store.list(EVENTS)
    const old = stored.filter(({ value }) => value.event.time < before)
    if (old.length === 0) return
    await store.change(async (transaction) => {
      for (const { value } of old) await transaction.remove(EVENTS, eventKey(value.number))
    })
  }
}
