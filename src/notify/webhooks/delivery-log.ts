import { z } from 'zod'
import type { DocumentKind } from '../../core/document-kind.ts'
import type { StateStore } from '../../state/state-store.ts'
import { DeliveryBody } from '../../wire/service-bodies.ts'
import { WEBHOOK_EVENTS, WEBHOOKS, type WebhookCursor } from './webhook-cursor.ts'

/** A delivery to a receiver, with its last answer. */
export const WebhookDelivery = DeliveryBody.extend({ webhook: z.string() })
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
