import { z } from 'zod'
import type { DocumentKind } from '../core/document-kind.ts'
import { TokenScope } from '../core/principal.ts'
import { DISABLED_USERS } from './disabled-users.ts'
import { IssuedOwner } from './issued-owner.ts'

/** The record of an issued secret: its hash, and never the secret. */
export const IssuedRecord = z.object({
  /** The beginning of the hash: the name in lists and logs, and the key in the store. */
  id: z.string(),
  hash: z.string(),
  /** Milliseconds since the UNIX epoch, as all times here. */
  created: z.int(),
  /** To the minute; null before the first use. */
  lastUsed: z.int().nullable(),
})
export type IssuedRecord = Readonly<z.infer<typeof IssuedRecord>>

/** Of a secret that stands for a user. */
export const OwnedRecord = IssuedRecord.extend({
  owner: IssuedOwner,
})
export type OwnedRecord = Readonly<z.infer<typeof OwnedRecord>>

export const TokenRecord = OwnedRecord.extend({
  name: z.string(),
  scope: TokenScope,
  /** Null for a token that is good until it is revoked. */
  expires: z.int().nullable(),
})
export type TokenRecord = Readonly<z.infer<typeof TokenRecord>>

export const TOKENS: DocumentKind<TokenRecord> = { name: 'token', schema: TokenRecord }

/** The session of a user who logged in on a page. */
export const SessionRecord = OwnedRecord.extend({
  /** A hash of the password's hash: with another password the session ends. Null for a user from elsewhere. */
  password: z.string().nullable(),
})
export type SessionRecord = Readonly<z.infer<typeof SessionRecord>>

export const SESSIONS: DocumentKind<SessionRecord> = { name: 'session', schema: SessionRecord }

/** Lets one agent in, once. */
export const InvitationRecord = IssuedRecord.extend({
  /** The maker: a user, or an operating-system account for one made on the command line. */
  maker: z.string(),
  /**
   * The user, with whom it ends; null for one from the command line, and in versions without
   * owners.
   */
  owner: IssuedOwner.nullable().default(null),
  /** The id of the token by which the user made it, with which it ends too. */
  token: z.string().nullable().default(null),
  /** The resources that the agent gets in the configuration. */
  resources: z.array(z.string()).readonly(),
  environments: z.array(z.string()).readonly(),
  expires: z.int(),
  /** The machine that began to register with it: no other can use it any more. */
  machine: z.object({ uuid: z.string(), claimHash: z.string() }).nullable(),
})
export type InvitationRecord = Readonly<z.infer<typeof InvitationRecord>>

export const INVITATIONS: DocumentKind<InvitationRecord> = {
  name: 'invitation',
  schema: InvitationRecord,
}

/** Every kind of document of this room. */
export const ISSUED_KINDS: readonly DocumentKind<unknown>[] = [
  TOKENS,
  SESSIONS,
  INVITATIONS,
  DISABLED_USERS,
]
