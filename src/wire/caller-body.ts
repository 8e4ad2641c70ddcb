import { z } from 'zod'
import { TokenScope, UserSource } from '../core/principal.ts'
import { SAMPLE_NAMES } from '../core/sample-names.ts'
import { GroupField, UserField } from './fields.ts'

/** Answers `GET /api/whoami`. */
export const WhoAmIBody = z.object({
  name: UserField,
  /** The source of the user. */
  source: UserSource,
  administrator: z.boolean().meta({ example: true }),
  /** The roles of the configuration that have the user. */
  roles: z.array(z.string()).readonly().meta({ example: [] }),
  /** The pipeline groups that the user may view. */
  groups: z.array(GroupField).readonly(),
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
  user: z.string().meta({ example: 'ana' }),
  administrator: z.boolean(),
  roles: z
    .array(z.string())
    .readonly()
    .meta({ example: ['developers'] }),
  permissions: z
    .array(
      z.object({
        /** Such as `view pipeline checkout`, as in a plan. */
        permission: z.string().meta({ example: `view pipeline ${SAMPLE_NAMES.pipeline}` }),
        /** The entries of the configuration by which. */
        because: z
          .array(z.string())
          .readonly()
          .meta({ example: [`role developers in view of the group ${SAMPLE_NAMES.group}`] }),
      }),
    )
    .readonly(),
})
export type PermissionsBody = z.infer<typeof PermissionsBody>
