import { overridesIn } from '../../configuration/gate/override.ts'
import { describeFault } from '../../core/faults.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { NumberedEvent } from '../../core/service/service-event.ts'
import type { History } from '../../history/history.ts'
import { RetryLoop } from '../../lib/retry.ts'
import type { ClientNames } from '../../wire/revision-bodies.ts'
import type { WebhookEntry } from '../../wire/service-bodies.ts'
import type { EventLog } from '../events/event-log.ts'
import type { Confirmed, DeliveryLog, WebhookDelivery } from './delivery-log.ts'
import type { CallWebhook } from './webhook-call.ts'
import type { WebhookCursor } from './webhook-cursor.ts'
import {
  eventMessage,
  type RevisionDelivery,
  revisionMessage,
  type WebhookMessage,
} from './webhook-message.ts'
import { hearsOf, type WebhookSettings } from './webhook-settings.ts'

/** A receiver did not confirm a delivery. The message contains neither address nor secret. */
class WebhookFailure extends Error {}

export interface WebhookDeps {
  readonly history: History
  readonly events: EventLog
  readonly deliveries: DeliveryLog
  readonly call: CallWebhook
  readonly clientNames: ClientNames
  readonly clock: Clock
  readonly log: Log
}

/** The places up to which a receiver has confirmed what it hears of. */
export interface WebhookPlaces {
  readonly revision: WebhookCursor
  /** The number of the last event. */
  readonly event: number
}

export type WebhookState = Readonly<WebhookEntry>

const PAUSES = { fromMs: 1_000, toMs: 300_000 }

/**
 * Delivers revisions and events to one receiver: revisions in the order of the history, other events in
 * that of their log, one at a time each. The place is stored with each delivery, so each arrives at least
 * once, even across restarts. A failed delivery is retried until it succeeds: none is skipped.
 */
export class Webhook implements AsyncDisposable {
  readonly settings: WebhookSettings
  readonly #deps: WebhookDeps
  readonly #unlisten: readonly (() => void)[]
  readonly #revisions: RetryLoop
  readonly #events: RetryLoop
  /** The deliveries that are not confirmed yet, by the ids of their messages. */
  readonly #pending = new Map<string, WebhookDelivery>()
  #cursor: WebhookCursor
  #event: number

  /** Begins at once with what has come since the places. */
  constructor(settings: WebhookSettings, { revision, event }: WebhookPlaces, deps: WebhookDeps) {
    this.settings = settings
    this.#cursor = revision
    this.#event = event
    this.#deps = deps
    this.#revisions = this.#loop((loop) => this.#deliverRevisions(loop))
    this.#events = this.#loop((loop) => this.#deliverEvents(loop))
    this.#unlisten = [
      deps.history.onRevision(() => this.#revisions.wake()),
      deps.events.onAppended(() => this.#events.wake()),
    ]
  }

  state(): WebhookState {
    const { name, commit, deliveredAt } = this.#cursor
    const { history } = this.#deps
    const at = history.findCommit(commit)
    const number = at === null ? null : history.numberOf(at)
    const behind = number === null ? null : history.size() - number
    const lastError = this.#revisions.problem ?? this.#events.problem
    return { name, behind, deliveredAt, lastError }
  }

  /** Sends a delivery once more, whatever comes of it. The receiver knows it by its id. */
  async sendAgain(delivery: WebhookDelivery, sentBy: string): Promise<WebhookDelivery> {
    const { signal } = this.#revisions
    return this.#attempt({ ...delivery, number: null, attempts: 0, sentBy }, { signal })
  }

  /** Aborts the current calls; the next start repeats them. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const unlisten of this.#unlisten) unlisten()
    await Promise.all([this.#revisions, this.#events].map((loop) => loop[Symbol.asyncDispose]()))
  }

  #loop(round: (loop: RetryLoop) => Promise<void>): RetryLoop {
    const report = (problem: string | null, error: unknown) => this.#report(problem, error)
    return new RetryLoop({ round, pauses: PAUSES, problemOf, report })
  }

  async #deliverRevisions(loop: RetryLoop): Promise<void> {
    const { clientNames, clock } = this.#deps
    const { name } = this.settings
    for (const delivery of await this.#nextRevisions()) {
      const placeNow = () => {
        const deliveredAt = this.#isHeard('revision') ? clock() : this.#cursor.deliveredAt
        return { revision: { name, commit: delivery.revision.commit, deliveredAt } }
      }
      const messages = (await this.#eventsOf(delivery)).map((each) =>
        revisionMessage(name, each, clientNames),
      )
      for (const message of messages) await this.#deliver(message, { loop })
      await loop.step(() => this.#deps.deliveries.skip(placeNow()))
      this.#cursor = placeNow().revision
    }
  }

  /** The deliveries about a revision: itself, and the rules that it passed. */
  async #eventsOf(delivery: RevisionDelivery): Promise<readonly RevisionDelivery[]> {
    const own = this.#isHeard('revision') ? [delivery] : []
    if (delivery.event !== 'revision' || !this.#isHeard('override')) return own
    const overrides = overridesIn(await this.#deps.history.readTrailers(delivery.revision))
    return overrides.length === 0 ? own : [...own, { ...delivery, event: 'override', overrides }]
  }

  /** After a reset there may be no newer revision, but the change of the current one is delivered all the same. */
  async #nextRevisions(): Promise<readonly RevisionDelivery[]> {
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

  async #deliverEvents(loop: RetryLoop): Promise<void> {
    const { events, deliveries } = this.#deps
    const { name } = this.settings
    for (;;) {
      const page = await events.after(this.#event)
      if (page.length === 0) return
      for (const numbered of page) await this.#deliverEvent(numbered, loop)
      await loop.step(() => deliveries.skip({ event: { name, number: this.#event } }))
    }
  }

  async #deliverEvent(numbered: NumberedEvent, loop: RetryLoop): Promise<void> {
    const { name } = this.settings
    const { number, event } = numbered
    const placeNow = () => ({ event: { name, number } })
    if (this.#isHeard(event.type)) {
      await this.#deliver(eventMessage(name, numbered), { loop, placeNow })
    }
    this.#event = number
  }

  #isHeard(event: string): boolean {
    return hearsOf(this.settings, event)
  }

  /** Tries until the receiver confirms, and records it together with the place. */
  async #deliver(
    message: WebhookMessage,
    {
      loop,
      placeNow,
    }: { readonly loop: RetryLoop; readonly placeNow?: (() => Confirmed) | undefined },
  ): Promise<void> {
    const { id } = message
    const { signal } = loop
    await loop.step(async () => {
      const begun = this.#deps.clock()
      const first = { ...message, webhook: this.settings.name, number: null, begun, attempts: 0 }
      const before = this.#pending.get(id) ?? { ...first, sentBy: null }
      const after = await this.#attempt(before, { signal, placeNow })
      if (after.problem === null) this.#pending.delete(id)
      else this.#pending.set(id, after)
      if (after.problem !== null) throw new WebhookFailure(after.problem)
    })
  }

  async #attempt(
    before: Omit<WebhookDelivery, 'number' | 'answered' | 'status' | 'answer' | 'problem'> & {
      readonly number: number | null
    },
    {
      signal,
      placeNow,
    }: { readonly signal: AbortSignal; readonly placeNow?: (() => Confirmed) | undefined },
  ): Promise<WebhookDelivery> {
    const { call, clock, deliveries } = this.#deps
    const { status, text: answer, problem } = await call(this.settings, before, signal)
    signal.throwIfAborted()
    const attempts = before.attempts + 1
    const attempted = { ...before, attempts, answered: clock(), status, answer, problem }
    return deliveries.record(attempted, problem === null ? placeNow?.() : null)
  }

  #report(problem: string | null, error: unknown): void {
    if (problem === null) return this.#log('info', 'A webhook works again', {})
    const facts = error instanceof WebhookFailure ? { problem } : { error }
    this.#log('warning', 'A webhook does not accept its deliveries', facts)
  }

  #log(level: 'info' | 'warning', message: string, facts: Record<string, unknown>): void {
    this.#deps.log({ level, message, facts: { webhook: this.settings.name, ...facts } })
  }
}

function problemOf(error: unknown): string {
  return error instanceof WebhookFailure ? error.message : describeFault(error)
}
