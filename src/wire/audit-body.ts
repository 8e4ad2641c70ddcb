import { z } from 'zod'
import { AuditEntry } from '../core/audit.ts'

/** Answers `GET /api/audit`, newest first. */
export const AuditBody = z.object({
  entries: z.array(AuditEntry).readonly(),
  /** The value of `before` for the next page; null on the last one. */
  next: z.int().nullable(),
})
export type AuditBody = z.infer<typeof AuditBody>
