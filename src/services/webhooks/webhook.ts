import { setTimeout as delay } from 'node:timers/promises'
import { Backoff } from '../../lib/backoff.ts'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import type { StateStore } from '../../state/state-store.ts'
import { keepCursor, type WebhookCursor } from './webhook-cursor.ts'
import type { WebhookSettings } from './webhook-settings.ts'

/** One thing that a receiver is told. */
export interface Delivery {
  /** `rewritten`: commits were taken back, and the revision is the current one now. */
  readonly event: 'revision' | 'rewritten'
  readonly revision: Revision
  /** What it was told before. */
  readonly previous: CommitSha
}

/** Tells a receiver, and returns when it has taken it. */
export type CallWebhook = (
  settings: WebhookSettings,
  delivery: Delivery,
  signal: AbortSignal,
) => Promise<void>

/** A receiver did not take a delivery. The message says nothing of address and secret. */
export class WebhookFailure extends Error {}

export interface WebhookDeps {
  readonly history: History
  readonly store: StateStore
  readonly call: CallWebhook
  readonly clock: Clock
  readonly log: Log
}

/** How it stands with one receiver. */
export interface WebhookState {
  readonly name: string
  /** Revisions that it was not told yet; null when the last that it took is gone from the history. */
  readonly behind: number | null
  /** When it took the last one, in milliseconds since the UNIX epoch. */
  readonly deliveredAt: number | null
  /** Why it did not take the next one, or null. */
  readonly lastError: string | null
}

const PAUSES = { fromMs: 1_000, toMs: 300_000 }

/**
 * Tells one receiver of every revision, one at a time and in the order of the history. What it has
 * taken is written down after it has, so it hears of each at least once, however often either side
 * ends. It is asked until it takes a revision: none is passed over.
 */
export class Webhook implements AsyncDisposable {
  readonly #settings: WebhookSettings
  readonly #deps: WebhookDeps
  readonly #backoff = new Backoff(PAUSES)
  readonly #end = new AbortController()
  readonly #unlisten: () => void
  readonly #work: Promise<void>
  #cursor: WebhookCursor
  #lastError: string | null = null
  #isWoken = true
  #wake: () => void = () => {}

  /** Begins at once with what has come since the cursor. */
  constructor(settings: WebhookSettings, cursor: WebhookCursor, deps: WebhookDeps) {
    this.#settings = settings
    this.#cursor = cursor
    this.#deps = deps
    this.#unlisten = deps.history.onRevision(() => this.#rouse())
    this.#work = this.#run()
  }

  state(): WebhookState {
    const { name, commit, deliveredAt } = this.#cursor
    const { history } = this.#deps
    const at = history.findCommit(commit)
    const number = at === null ? null : history.numberOf(at)
    const behind = number === null ? null : history.size() - number
    return { name, behind, deliveredAt, lastError: this.#lastError }
  }

  /** Gives up the call under way: it is made again at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#unlisten()
    this.#end.abort()
    this.#rouse()
    await this.#work
  }

  async #run(): Promise<void> {
    while (!this.#end.signal.aborted) {
      if (!this.#isWoken) await new Promise<void>((resolve) => (this.#wake = resolve))
      this.#isWoken = false
      await this.#untilDone(() => this.#deliverAll())
    }
  }

  #rouse(): void {
    this.#isWoken = true
    this.#wake()
  }

  async #deliverAll(): Promise<void> {
    for (const delivery of await this.#next()) {
      if (this.#end.signal.aborted) return
      const { commit } = delivery.revision
      await this.#untilDone(() => this.#deps.call(this.#settings, delivery, this.#end.signal))
      if (!this.#end.signal.aborted) await this.#untilDone(() => this.#keep(commit))
    }
  }

  /** After a reset there may be nothing newer; that the current revision is another is news all the same. */
  async #next(): Promise<readonly Delivery[]> {
    const { history } = this.#deps
    const { commit } = this.#cursor
    const newer = await history.listNewer(commit)
    const isGone = history.findCommit(commit) === null
    if (newer === null || (isGone && newer.length === 0)) {
      return [{ event: 'rewritten', revision: history.current(), previous: commit }]
    }
    return newer.map((revision, n) => ({
      event: 'revision',
      revision,
      previous: newer[n - 1]?.commit ?? commit,
    }))
  }

  async #keep(commit: CommitSha): Promise<void> {
    const { store, clock } = this.#deps
    const { name } = this.#settings
    this.#cursor = await keepCursor(store, { name, commit, deliveredAt: clock() })
  }

  /** Does a thing again and again, with growing pauses, until it is done or the service ends. */
  async #untilDone(work: () => Promise<void>): Promise<void> {
    while (!this.#end.signal.aborted) {
      try {
        await work()
        this.#succeed()
        return
      } catch (error) {
        if (this.#end.signal.aborted) return
        this.#fail(error)
        await this.#pause()
      }
    }
  }

  #succeed(): void {
    this.#backoff.reset()
    if (this.#lastError !== null) this.#log('info', 'A webhook works again', {})
    this.#lastError = null
  }

  #fail(error: unknown): void {
    const isForeseen = error instanceof WebhookFailure
    const message = isForeseen ? error.message : 'an error of the service, see its log'
    if (message !== this.#lastError) {
      const facts = isForeseen ? { problem: message } : { error }
      this.#log('warning', 'A webhook does not take what it is told', facts)
    }
    this.#lastError = message
  }

  #log(level: 'info' | 'warning', message: string, facts: Record<string, unknown>): void {
    this.#deps.log({ level, message, facts: { webhook: this.#settings.name, ...facts } })
  }

  async #pause(): Promise<void> {
    const { signal } = this.#end
    // The end of the service cuts the pause short.
    await delay(this.#backoff.next(), undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
}
