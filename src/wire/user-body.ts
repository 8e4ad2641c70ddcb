import { z } from 'zod'
import { UserSource } from '../core/principal.ts'
import { IsoTime } from './fields.ts'

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
