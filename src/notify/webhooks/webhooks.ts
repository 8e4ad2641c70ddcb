import { type Access, assertMay } from '../../configuration/access/permission.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { StateStore } from '../../state/state-store.ts'
import { DeliveryLog, type WebhookDelivery } from './delivery-log.ts'
import { openCursor, WEBHOOK_EVENTS } from './webhook-cursor.ts'
import type { WebhookSettings } from './webhook-settings.ts'
import { Webhook, type WebhookDeps, type WebhookState } from './webhook.ts'

export interface WebhooksOptions extends Omit<WebhookDeps, 'deliveries'> {
  readonly store: StateStore
}

/** All receivers of events. They do not wait for each other. */
export class Webhooks implements AsyncDisposable {
  readonly deliveries: DeliveryLog
  readonly #all: readonly Webhook[]

  private constructor(all: readonly Webhook[], deliveries: DeliveryLog) {
    this.#all = all
    this.deliveries = deliveries
  }

  /** A new receiver gets the revisions and events from now on. */
  static async open(
    settings: readonly WebhookSettings[],
    { store, ...deps }: WebhooksOptions,
  ): Promise<Webhooks> {
    const deliveries = new DeliveryLog(store)
    const start = deps.history.current().commit
    const newest = await deps.events.newest()
    const all = await Promise.all(
      settings.map(async (each) => {
        const revision = await openCursor(store, each.name, start)
        const event = (await store.find(WEBHOOK_EVENTS, each.name))?.number ?? newest
        await deliveries.skip({ event: { name: each.name, number: event } })
        return new Webhook(each, { revision, event }, { ...deps, deliveries })
      }),
    )
    return new Webhooks(all, deliveries)
  }

  states(): readonly WebhookState[] {
    return this.#all.map((webhook) => webhook.state())
  }

  /** @throws {ServiceError} `delivery-not-found` for a name that the operator's file does not have. */
  find(name: string): Webhook {
    const found = this.#all.find(({ settings }) => settings.name === name)
    if (found !== undefined) return found
    throw new ServiceError('delivery-not-found', `There is no webhook ${name}`, { webhook: name })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((webhook) => webhook[Symbol.asyncDispose]()))
  }
}

export interface WebhooksDomain {
  readonly access: Access
  readonly webhooks: Webhooks
}

/** @throws {ServiceError} `not-permitted`. */
export function listWebhooks(
  { access, webhooks }: WebhooksDomain,
  principal: Principal,
): readonly WebhookState[] {
  assertMay(access, principal, { action: 'administer' })
  return webhooks.states()
}

/**
 * The newest deliveries of a receiver, the newest first.
 *
 * @throws {ServiceError} `not-permitted`, `delivery-not-found`.
 */
export async function listDeliveries(
  { access, webhooks }: WebhooksDomain,
  principal: Principal,
  name: string,
): Promise<readonly WebhookDelivery[]> {
  assertMay(access, principal, { action: 'administer' })
  webhooks.find(name)
  return webhooks.deliveries.list(name)
}

/**
 * Sends a delivery once more, with the same id and body. Returns the new one with its answer.
 *
 * @throws {ServiceError} `not-permitted`, `delivery-not-found`.
 */
export async function sendAgain(
  { access, webhooks }: WebhooksDomain,
  principal: Principal,
  { webhook: name, number }: { readonly webhook: string; readonly number: number },
): Promise<WebhookDelivery> {
  assertMay(access, principal, { action: 'administer' })
  const webhook = webhooks.find(name)
  const delivery = await webhooks.deliveries.find(name, number)
  if (delivery !== null) return webhook.sendAgain(delivery, principal.username)
  const message = `The webhook ${name} has no delivery ${number}`
  throw new ServiceError('delivery-not-found', message, { webhook: name })
}
