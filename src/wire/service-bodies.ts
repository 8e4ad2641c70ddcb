import { z } from 'zod'
import { Permitted } from '../core/service/maintenance.ts'
import { TimeField } from './fields.ts'
import { AuditEntry } from '../core/service/audit.ts'

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
  /** The subject in a few words, such as `app 12 / build 1`. */
  subject: z.string(),
  /** The times of the first and of the last attempt. */
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
  /** The body that was sent. */
  body: z.string(),
})
export type DeliveryBody = z.infer<typeof DeliveryBody>

/** Answers `GET /api/audit`, newest first. */
export const AuditBody = z.object({
  entries: z.array(AuditEntry).readonly(),
  /** The value of `before` for the next page; null on the last one. */
  next: z.int().nullable(),
})
export type AuditBody = z.infer<typeof AuditBody>

/** The body of `POST /api/maintenance`. */
export const MaintenanceRequestBody = z
  .strictObject({
    saves: Permitted.optional(),
    starts: Permitted.optional(),
    /** Shown to everybody who is refused. */
    reason: z.string().max(1_000).default(''),
  })
  .refine(({ saves, starts }) => (saves ?? starts) !== undefined, {
    message: 'saves or starts is needed',
  })
  .transform(({ saves = 'allowed', starts = 'allowed', reason }) => ({ saves, starts, reason }))
export type MaintenanceRequestBody = z.infer<typeof MaintenanceRequestBody>
