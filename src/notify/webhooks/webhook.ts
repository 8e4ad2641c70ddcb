import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { RetryLoop } from '../../lib/retry.ts'
import type { StateStore } from '../../state/state-store.ts'
import { type OverriddenRule, overridesIn } from '../../configuration/gate/override.ts'
import { keepCursor, type WebhookCursor } from './webhook-cursor.ts'
import type { WebhookSettings } from './webhook-settings.ts'

/** One delivery to a receiver. */
export interface Delivery {
  /**
   * `rewritten`: commits were taken back, and the revision is the current one now. `override`: it passed
   * rules.
   */
  readonly event: 'revision' | 'rewritten' | 'override'
  readonly revision: Revision
  /** The revision that it was sent before. */
  readonly previous: CommitSha
  /** The rules that it passed, of the event `override`. */
  readonly overrides?: readonly OverriddenRule[]
}

/** Delivers to a receiver, and returns when it has confirmed. */
export type CallWebhook = (
  settings: WebhookSettings,
  delivery: Delivery,
  signal: AbortSignal,
) => Promise<void>

/** A receiver did not confirm a delivery. The message contains neither address nor secret. */
export class WebhookFailure extends Error {}

export interface WebhookDeps {
  readonly history: History
  readonly store: StateStore
  readonly call: CallWebhook
  readonly clock: Clock
  readonly log: Log
}

/** The state of one receiver. */
export interface WebhookState {
  readonly name: string
  /**
   * The number of revisions that it has yet to receive; null when its last one is no longer in the
   * history.
   */
  readonly behind: number | null
  /** The time of its last delivery, in milliseconds since the UNIX epoch. */
  readonly deliveredAt: number | null
  /** Why the next delivery failed, or null. */
  readonly lastError: string | null
}

const PAUSES = { fromMs: 1_000, toMs: 300_000 }

/**
 * Delivers every revision to one receiver, one at a time, in the order of the history. The cursor
 * is stored after each delivery, so each arrives at least once, even across restarts. A failed
 * delivery is retried until it succeeds: none is skipped.
 */
export class Webhook implements AsyncDisposable {
  readonly #settings: WebhookSettings
  readonly #deps: WebhookDeps
  readonly #unlisten: () => void
  readonly #loop: RetryLoop
  #cursor: WebhookCursor

  /** Begins at once with the revisions since the cursor. */
  constructor(settings: WebhookSettings, cursor: WebhookCursor, deps: WebhookDeps) {
    this.#settings = settings
    this.#cursor = cursor
    this.#deps = deps
    this.#loop = new RetryLoop({
      round: (loop) => this.#deliverAll(loop),
      pauses: PAUSES,
      problemOf,
      report: (problem, error) => this.#report(problem, error),
    })
    this.#unlisten = deps.history.onRevision(() => this.#loop.wake())
  }

  state(): WebhookState {
    const { name, commit, deliveredAt } = this.#cursor
    const { history } = this.#deps
    const at = history.findCommit(commit)
    const number = at === null ? null : history.numberOf(at)
    const behind = number === null ? null : history.size() - number
    return { name, behind, deliveredAt, lastError: this.#loop.problem }
  }

  /** Aborts the current call; the next start repeats it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#unlisten()
    await this.#loop[Symbol.asyncDispose]()
  }

  async #deliverAll(loop: RetryLoop): Promise<void> {
    for (const delivery of await this.#next()) {
      const { revision } = delivery
      await this.#deliver(delivery, loop)
      await this.#deliverOverrides(delivery, loop)
      await loop.step(() => this.#keep(revision.commit))
    }
  }

  #deliver(delivery: Delivery, loop: RetryLoop): Promise<void> {
    return loop.step(() => this.#deps.call(this.#settings, delivery, loop.signal))
  }

  async #deliverOverrides(delivery: Delivery, loop: RetryLoop): Promise<void> {
    if (delivery.event !== 'revision') return
    const overrides = overridesIn(await this.#deps.history.readTrailers(delivery.revision))
    if (overrides.length > 0)
      await this.#deliver({ ...delivery, event: 'override', overrides }, loop)
  }

  /** After a reset there may be no newer revision, but the change of the current one is delivered all the same. */
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

  #report(problem: string | null, error: unknown): void {
    if (problem === null) return this.#log('info', 'A webhook works again', {})
    const facts = error instanceof WebhookFailure ? { problem } : { error }
    this.#log('warning', 'A webhook does not accept its deliveries', facts)
  }

  #log(level: 'info' | 'warning', message: string, facts: Record<string, unknown>): void {
    this.#deps.log({ level, message, facts: { webhook: this.#settings.name, ...facts } })
  }
}

function problemOf(error: unknown): string {
  return error instanceof WebhookFailure ? error.message : 'an error of the service, see its log'
}
