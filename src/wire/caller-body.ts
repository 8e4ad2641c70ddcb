import { z } from 'zod'
import { TokenScope, UserSource } from '../core/principal.ts'

/** Answers `GET /api/whoami`. */
export const WhoAmIBody = z.object({
  name: z.string(),
  /** The source of the user. */
  source: UserSource,
  administrator: z.boolean(),
  /** The roles of the configuration that have the user. */
  roles: z.array(z.string()).readonly(),
  /** The pipeline groups that the user may view. */
  groups: z.array(z.string()).readonly(),
  credential: z.object({
    kind: z.enum(['password', 'token', 'session']),
    /** The id of a token or a session. */
    id: z.string().exactOptional(),
    /** `admin` is everything that the user may. */
    scope: TokenScope,
  }),
})
export type WhoAmIBody = z.infer<typeof WhoAmIBody>

/** Answers `GET /api/permissions`. */
export const PermissionsBody = z.object({
  user: z.string(),
  administrator: z.boolean(),
  roles: z.array(z.string()).readonly(),
  permissions: z
    .array(
      z.object({
        /** Such as `view pipeline checkout`, as in a plan. */
        permission: z.string(),
        /** The entries of the configuration by which. */
        because: z.array(z.string()).readonly(),
      }),
    )
    .readonly(),
})
export type PermissionsBody = z.infer<typeof PermissionsBody>
