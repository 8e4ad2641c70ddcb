import { z } from 'zod'
import type { DocumentKind } from '../../core/document-kind.ts'
import type { StateStore } from '../../state/state-store.ts'
import { WEBHOOK_EVENTS, WEBHOOKS, type WebhookCursor } from './webhook-cursor.ts'

/** A delivery to a receiver, with its last answer. */
export const WebhookDelivery = z.object({
  webhook: z.string(),
  number: z.int().positive(),
  /** The same for every repetition of the same event. */
  id: z.string(),
  event: z.string(),
  /** The subject in a few words, such as `app 12 / build 1`. */
  subject: z.string(),
  body: z.string(),
  /** The time of the first and of the last attempt, in milliseconds since the UNIX epoch. */
  begun: z.int(),
  answered: z.int(),
  attempts: z.int().positive(),
  /** The status of the last answer; null when there was none. */
  status: z.int().nullable(),
  /** The beginning of the last answer. */
  answer: z.string(),
  /** Why it was not confirmed; null when it was. */
  problem: z.string().nullable(),
  /** The user who had it sent again; null for the service itself. */
  sentBy: z.string().nullable(),
})
export type WebhookDelivery = Readonly<z.infer<typeof WebhookDelivery>>

export const DELIVERIES: DocumentKind<WebhookDelivery> = {
  name: 'webhook-delivery',
  schema: WebhookDelivery,
}

/** The deliveries of each receiver that are retained. */
const MAX_DELIVERIES = 200
const NUMBER_LENGTH = 10

/** The place up to which a receiver has confirmed what it hears of. */
export type Confirmed =
  | { readonly revision: WebhookCursor }
  | { readonly event: { readonly name: string; readonly number: number } }

/** The newest deliveries of each receiver. */
export class DeliveryLog {
  readonly #store: StateStore

  constructor(store: StateStore) {
    this.#store = store
  }

  /** Records an attempt, and the place of the receiver where that moves. A new delivery gets its number. */
  record(
    delivery: Omit<WebhookDelivery, 'number'> & { readonly number: number | null },
    confirmed: Confirmed | null = null,
  ): Promise<WebhookDelivery> {
    const { webhook } = delivery
    return this.#store.change(async (tx) => {
      const number = delivery.number ?? (await tx.next(`webhook-delivery:${webhook}`))
      const recorded = { ...delivery, number }
      await tx.put(DELIVERIES, keyOf(webhook, number), recorded)
      if (number > MAX_DELIVERIES)
        await tx.remove(DELIVERIES, keyOf(webhook, number - MAX_DELIVERIES))
      if (confirmed !== null) await this.#confirm(tx, confirmed)
      return recorded
    })
  }

  /** Moves the place of a receiver over what it does not hear of. */
  skip(confirmed: Confirmed): Promise<void> {
    return this.#store.change((tx) => this.#confirm(tx, confirmed))
  }

  /** The newest first. */
  async list(webhook: string): Promise<readonly WebhookDelivery[]> {
    const stored = await this.#store.list(DELIVERIES, `${webhook}/`)
    return stored.map(({ value }) => value).toReversed()
  }

  find(webhook: string, number: number): Promise<WebhookDelivery | null> {
    return this.#store.find(DELIVERIES, keyOf(webhook, number))
  }

  async #confirm(
    tx: Parameters<Parameters<StateStore['change']>[0]>[0],
    confirmed: Confirmed,
  ): Promise<void> {
    if ('event' in confirmed) await tx.put(WEBHOOK_EVENTS, confirmed.event.name, confirmed.event)
    else await tx.put(WEBHOOKS, confirmed.revision.name, confirmed.revision)
  }
}

function keyOf(webhook: string, number: number): string {
  return `${webhook}/${`${number}`.padStart(NUMBER_LENGTH, '0')}`
}
