import { z } from 'zod'
import { AuditEntry } from '../core/audit.ts'

/** Answers `GET /api/audit`, newest first. */
export const AuditBody = z.object({
  entries: z.array(AuditEntry).readonly(),
  /** Give it as `before` to go on; null when there are no more. */
  next: z.int().nullable(),
})
export type AuditBody = z.infer<typeof AuditBody>
