import { z } from 'zod'
import { TokenScope } from '../core/principal.ts'
import { SAMPLE_NAMES } from '../core/sample-names.ts'
import { IsoTime, UserField } from './fields.ts'

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
