import { z } from 'zod'
import { TokenScope } from '../core/principal.ts'

/** A time with its zone, as ISO 8601 writes it. */
export const IsoTime = z
  .string()
  .regex(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/,
    'is not a time such as 2030-12-31T00:00:00Z',
  )

/** `POST /api/tokens` */
export const NewTokenBody = z.strictObject({
  name: z.string(),
  scope: TokenScope,
  /** Absent or null for a token that is good until it is revoked. */
  expires: IsoTime.nullable().optional(),
})
export type NewTokenBody = z.infer<typeof NewTokenBody>

/** Answers `POST /api/tokens`: the only answer that ever has the token. */
export const MadeTokenBody = z.object({ id: z.string(), token: z.string() })
export type MadeTokenBody = z.infer<typeof MadeTokenBody>

/** An element of `GET /api/tokens`. */
export const TokenEntry = z.object({
  id: z.string(),
  name: z.string(),
  user: z.string(),
  scope: TokenScope,
  created: IsoTime,
  /** Null for a token that is good until it is revoked. */
  expires: IsoTime.nullable(),
  /** To the minute; null for a token that was never used. */
  lastUsed: IsoTime.nullable(),
})
export type TokenEntry = z.infer<typeof TokenEntry>
