import { z } from 'zod'

const Permitted = z.enum(['allowed', 'refused'])

/** The body of `POST /api/maintenance`. */
export const MaintenanceRequestBody = z.strictObject({
  saves: Permitted.default('allowed'),
  starts: Permitted.default('allowed'),
  /** Shown to everybody who is refused. */
  reason: z.string().max(1_000).default(''),
})
export type MaintenanceRequestBody = z.infer<typeof MaintenanceRequestBody>

/** The answer of `/api/maintenance`. */
export const MaintenanceBody = z.object({
  saves: Permitted,
  starts: Permitted,
  reason: z.string(),
  /** The user who set it, or `Server`; empty before anybody did. */
  by: z.string(),
  /** The time of the last change, in milliseconds since the UNIX epoch; null before the first. */
  since: z.int().nullable(),
})
export type MaintenanceBody = z.infer<typeof MaintenanceBody>
