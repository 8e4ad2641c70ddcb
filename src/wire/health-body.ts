import { z } from 'zod'
import { Digest } from '../core/digest.ts'
import { ErrorBody } from './error-body.ts'

/** Answers `/health`. */
export const HealthBody = z.object({
  /** `degraded`: the service answers, and an operator should look at the problems. */
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  revisions: z.int().nonnegative(),
  /** The digest of the current configuration. */
  current: Digest,
  problems: z
    .array(z.object({ subject: z.string(), errors: ErrorBody.shape.errors.unwrap().readonly() }))
    .readonly(),
})
export type HealthBody = z.infer<typeof HealthBody>
