import { z } from 'zod'
import { TimeField } from './fields.ts'

/** A receiver in the answer of `/api/webhooks`. */
export const WebhookEntry = z.object({
  name: z.string().meta({ example: 'chat' }),
  /** The revisions not sent yet; null when the last accepted one no longer exists. */
  behind: z.int().nullable().meta({ example: 0 }),
  deliveredAt: TimeField.nullable(),
  lastError: z.string().nullable(),
})
export type WebhookEntry = z.infer<typeof WebhookEntry>

/** A delivery to a receiver, with its last answer. Times are in milliseconds since the UNIX epoch. */
export const DeliveryBody = z.object({
  number: z.int().positive(),
  /** The header `webhook-id`: the same for every repetition. */
  id: z.string(),
  event: z.string(),
  subject: z.string(),
  begun: z.int(),
  answered: z.int(),
  attempts: z.int().positive(),
  /** The status of the last answer; null when there was none. */
  status: z.int().nullable(),
  answer: z.string(),
  /** Why it was not confirmed; null when it was. */
  problem: z.string().nullable(),
  /** The user who had it sent again; null for the service itself. */
  sentBy: z.string().nullable(),
  /** The body that was sent. */
  body: z.string(),
})
export type DeliveryBody = z.infer<typeof DeliveryBody>
