import { z } from 'zod'
import { UserSource, TokenScope } from '../core/principal.ts'
import { IsoTime, UserField, GroupField } from './fields.ts'
import { SAMPLE_NAMES } from '../core/sample-names.ts'
import { MailWishes, USUAL_WISHES } from '../core/service/mail-wishes.ts'

const Name = z.string().meta({ example: 'ana' })

/** `POST /api/users` */
export const NewUserBody = z.strictObject({
  name: Name,
  /** Absent: one is made. */
  password: z.string().optional(),
})
export type NewUserBody = z.infer<typeof NewUserBody>

/** `PUT /api/users/[name]/password` */
export const NewPasswordBody = NewUserBody.omit({ name: true })
export type NewPasswordBody = z.infer<typeof NewPasswordBody>

/** The only answer that ever has the password, and only one that was made. */
export const UserCredentialsBody = z.object({
  name: Name,
  password: z.string().nullable().meta({ example: 'vJ5Q0b2wXo3mZr8sT1yK' }),
})
export type UserCredentialsBody = z.infer<typeof UserCredentialsBody>

/** An element of `GET /api/users`. */
export const UserEntry = z.object({
  name: Name,
  source: UserSource,
  disabled: z.boolean(),
  administrator: z.boolean(),
  roles: z.array(z.string()).meta({ example: ['developers'] }),
  /** The number of the user's tokens. */
  tokens: z.int().nonnegative().meta({ example: 1 }),
  /** The last use of a token or a session, to the minute; null when unknown. */
  lastUsed: IsoTime.nullable(),
})
export type UserEntry = z.infer<typeof UserEntry>

const Id = z.string().meta({ example: SAMPLE_NAMES.token })

/** `POST /api/tokens` */
export const NewTokenBody = z.strictObject({
  name: z.string(),
  scope: TokenScope,
  /** Absent or null for a token that is good until it is revoked. */
  expires: IsoTime.nullable().optional(),
})
export type NewTokenBody = z.infer<typeof NewTokenBody>

/** Answers `POST /api/tokens`: the only answer that ever has the token. */
export const MadeTokenBody = z.object({
  id: Id,
  token: z.string().meta({ example: `cairn_${'x'.repeat(36)}` }),
})
export type MadeTokenBody = z.infer<typeof MadeTokenBody>

/** An element of `GET /api/tokens`. */
export const TokenEntry = z.object({
  id: Id,
  name: z.string().meta({ example: 'nightly report' }),
  user: UserField,
  scope: TokenScope,
  created: IsoTime,
  /** Null for a token that is good until it is revoked. */
  expires: IsoTime.nullable().meta({ example: '2099-12-31T00:00:00.000Z' }),
  /** To the minute; null for a token that was never used. */
  lastUsed: IsoTime.nullable().meta({ example: null }),
})
export type TokenEntry = z.infer<typeof TokenEntry>

/** `POST /api/agent-invitations` */
export const NewInvitationBody = z.strictObject({
  resources: z.array(z.string()).optional(),
  environments: z.array(z.string()).optional(),
  /** A day from now when absent; 30 days at most. */
  expires: IsoTime.optional(),
})
export type NewInvitationBody = z.infer<typeof NewInvitationBody>

/** Answers `POST /api/agent-invitations`: the only answer that ever has the invitation. */
export const MadeInvitationBody = z.object({
  id: Id,
  invitation: z.string().meta({ example: `cairninvite_${'x'.repeat(36)}` }),
})
export type MadeInvitationBody = z.infer<typeof MadeInvitationBody>

/** An element of `GET /api/agent-invitations`. */
export const InvitationEntry = z.object({
  id: Id,
  /** The user who created it. */
  user: UserField,
  resources: z.array(z.string()).meta({ example: ['linux'] }),
  environments: z.array(z.string()).meta({ example: [] }),
  created: IsoTime,
  expires: IsoTime,
})
export type InvitationEntry = z.infer<typeof InvitationEntry>

const Address = z.string().meta({ example: 'kim@example.org' })
const { news, own, pipelines, entities, proposals } = MailWishes.shape

/** The body of `PUT /api/account/mail`. Absent choices are those of a user who has made none. */
export const MailSubscriptionRequestBody = z.strictObject({
  address: Address,
  news: news.default(USUAL_WISHES.news),
  own: own.default(USUAL_WISHES.own),
  /** `NAME` or `NAME/STAGE`. */
  pipelines: pipelines.default(USUAL_WISHES.pipelines),
  /** `KIND/NAME`. */
  entities: entities.default(USUAL_WISHES.entities),
  proposals: proposals.default(USUAL_WISHES.proposals),
})

/** The answer of `/api/account/mail`. The address of a user without a subscription is empty. */
export const MailSubscriptionBody = MailWishes.extend({
  address: Address,
  news: news.meta({ example: ['breaks', 'fixed'] }),
  pipelines: pipelines.meta({ example: [SAMPLE_NAMES.pipeline] }),
  entities: entities.meta({ example: [`group/${SAMPLE_NAMES.group}`] }),
})
export type MailSubscriptionBody = z.infer<typeof MailSubscriptionBody>

/** Answers `GET /api/whoami`. */
export const WhoAmIBody = z.object({
  name: UserField,
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
