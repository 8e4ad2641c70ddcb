import { z } from 'zod'
import type { DocumentKind } from '../../core/document-kind.ts'
import { CommitSha } from '../../core/revision.ts'
import type { StateStore } from '../../state/state-store.ts'

/** Up to where a receiver has taken the history. */
const WebhookCursor = z.object({
  name: z.string(),
  commit: CommitSha,
  /** When it took that, in milliseconds since the UNIX epoch; null before the first delivery. */
  deliveredAt: z.number().nullable(),
})
export type WebhookCursor = Readonly<z.infer<typeof WebhookCursor>>

export const WEBHOOKS: DocumentKind<WebhookCursor> = { name: 'webhook', schema: WebhookCursor }

/** The cursor of a receiver; a new one begins with what comes after `start`. It is on disk when this returns. */
export async function openCursor(
  store: StateStore,
  name: string,
  start: CommitSha,
): Promise<WebhookCursor> {
  const known = await store.find(WEBHOOKS, name)
  return known ?? keepCursor(store, { name, commit: start, deliveredAt: null })
}

export async function keepCursor(store: StateStore, cursor: WebhookCursor): Promise<WebhookCursor> {
  await store.change((transaction) => transaction.put(WEBHOOKS, cursor.name, cursor))
  return cursor
}
