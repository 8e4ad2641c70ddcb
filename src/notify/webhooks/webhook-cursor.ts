import { z } from 'zod'
import type { DocumentKind } from '../../core/document-kind.ts'
import { CommitSha } from '../../core/revision.ts'
import type { StateStore } from '../../state/state-store.ts'

/** The last revision that a receiver has confirmed. */
const WebhookCursor = z.object({
  name: z.string(),
  commit: CommitSha,
  /** The time of that delivery, in milliseconds since the UNIX epoch; null before the first. */
  deliveredAt: z.number().nullable(),
})
export type WebhookCursor = Readonly<z.infer<typeof WebhookCursor>>

export const WEBHOOKS: DocumentKind<WebhookCursor> = { name: 'webhook', schema: WebhookCursor }

/** Opens the cursor of a receiver; a new one begins after `start`. It is on disk when this returns. */
export async function openCursor(
  store: StateStore,
  name: string,
  start: CommitSha,
): Promise<WebhookCursor> {
  const cursor = await store.find(WEBHOOKS, name)
  return cursor ?? keepCursor(store, { name, commit: start, deliveredAt: null })
}

export async function keepCursor(store: StateStore, cursor: WebhookCursor): Promise<WebhookCursor> {
  await store.change((transaction) => transaction.put(WEBHOOKS, cursor.name, cursor))
  return cursor
}

/** The number of the last event besides revisions that a receiver has confirmed. */
const WebhookEvents = z.object({ name: z.string(), number: z.int().nonnegative() })
export const WEBHOOK_EVENTS: DocumentKind<Readonly<z.infer<typeof WebhookEvents>>> = {
  name: 'webhook-events',
  schema: WebhookEvents,
}
