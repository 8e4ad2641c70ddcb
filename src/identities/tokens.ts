import { malformedRequest, ServiceError } from '../core/errors.ts'
import { isSameName } from '../core/name-key.ts'
import type { Principal, TokenScope } from '../core/principal.ts'
import { type Access, assertMay } from '../configuration/access/permission.ts'
import type { KnownUser } from '../security/permission-reasons.ts'
import { keptOf, newApiToken } from '../security/issued-secret.ts'
import { isOwner, IssuedRecords } from './issued-records.ts'
import type { OwnedRecordsOptions } from './owned-records.ts'
import { findOwner, isSameOwner, ownerOf } from './issued-owner.ts'
import { assertLoggedIn } from './logged-in.ts'
import { type TokenRecord, TOKENS } from './issued-record.ts'

/** The limit of tokens of a user. */
const MAX_TOKENS = 100
/**
 * The maximum age of the last log-in for tokens of users who are not in the users file, in
 * milliseconds: other sources do not report that a user is gone.
 */
export const TOKEN_VOUCHED_FOR_MS = 30 * 24 * 60 * 60 * 1_000

export interface NewToken {
  readonly name: string
  readonly scope: TokenScope
  /** Milliseconds since the UNIX epoch; null for a token that does not expire. */
  readonly expires: number | null
}

/** A new token: the only time that its secret is known. */
export interface MadeToken {
  readonly id: string
  readonly token: string
}

/**
 * The tokens of users: creates them, finds them by the credentials of a request, and revokes them.
 */
export class Tokens extends IssuedRecords<TokenRecord> {
  constructor(options: OwnedRecordsOptions) {
    super(TOKENS, options)
  }

  /** Finds the user of a token that came with this name; null when it is not valid. */
  async find(token: string, username: string | null): Promise<Principal | null> {
    const record = await this.findIssued(token)
    if (record === null || isExpired(record, this.options.clock())) return null
    if (username !== null && !isOwner(record, username)) return null
    const owner = await findOwner(this.options, record.owner, TOKEN_VOUCHED_FOR_MS)
    if (owner === null) return null
    this.noteUse(record)
    const { id, scope } = record
    return { ...owner, credential: { kind: 'token', id, scope } }
  }

  /**
   * Makes a token for a user.
   *
   * @throws {ServiceError} `malformed-request`, `too-many-tokens`.
   */
  async create(principal: Principal, { name, scope, expires }: NewToken): Promise<MadeToken> {
    const now = this.options.clock()
    assertName(name)
    if (expires !== null && expires <= now)
      throw malformedRequest('The expiry is in the past', 'expires')
    const token = newApiToken()
    const kept = keptOf(token)
    const owner = ownerOf(principal, now)
    const record = { ...kept, owner, name, scope, expires, created: now, lastUsed: null }
    await this.add(record, (others) => {
      const own = others.filter((other) => isSameOwner(other.owner, principal))
      if (own.length < MAX_TOKENS) return []
      const message = `A user may have ${MAX_TOKENS} tokens: revoke one first`
      throw new ServiceError('too-many-tokens', message, { limit: MAX_TOKENS })
    })
    return { id: kept.id, token }
  }

  /**
   * Lists the tokens of a user, of all users with a name, or of everyone when null; oldest first.
   */
  list(of: Principal | string | null): Promise<TokenRecord[]> {
    return this.listed((record) => {
      if (typeof of === 'string') return isOwner(record, of)
      return of === null || isSameOwner(record.owner, of)
    })
  }

  /** Whether a token is there and has not expired. */
  async isGood(id: string): Promise<boolean> {
    const record = await this.findById(id)
    return record !== null && !isExpired(record, this.options.clock())
  }

  /** When a token ends; null for one that does not expire. */
  async expiryOf(id: string): Promise<number | null> {
    return (await this.findById(id))?.expires ?? null
  }

  /**
   * Revokes a token of a user, or of any user when null.
   *
   * @throws {ServiceError} `token-not-found`
   */
  async revoke(id: string, of: Principal | null): Promise<TokenRecord> {
    const isWanted = ({ owner }: TokenRecord) => of === null || isSameOwner(owner, of)
    const revoked = await this.endOne(id, isWanted)
    if (revoked !== null) return revoked
    throw new ServiceError('token-not-found', `There is no token ${id}`, { id })
  }
}

export interface TokenDeps {
  readonly access: Access
  readonly tokens: Tokens
}

/**
 * Creates a token for the caller, who must have logged in: a token cannot create another one.
 *
 * @throws {ServiceError} `not-permitted`, `malformed-request`, `too-many-tokens`.
 */
export async function createToken(
  { tokens }: Pick<TokenDeps, 'tokens'>,
  principal: Principal,
  wanted: NewToken,
): Promise<MadeToken> {
  const message = 'A token makes no other token'
  assertLoggedIn(principal, { permission: 'create-token', message })
  return tokens.create(principal, wanted)
}

/**
 * Lists the tokens of a user; of the caller when absent. Those of others are for administrators.
 *
 * @throws {ServiceError} `not-permitted`
 */
export function listTokens(
  { access, tokens }: TokenDeps,
  principal: Principal,
  of: string | KnownUser = principal.username,
): Promise<TokenRecord[]> {
  if (typeof of === 'string' && isSameName(of, principal.username)) return tokens.list(principal)
  assertMay(access, principal, { action: 'administer' })
  return tokens.list(of)
}

/**
 * Revokes a token of the caller; administrators may revoke those of others.
 *
 * @throws {ServiceError} `token-not-found`
 */
export function revokeToken(
  { access, tokens }: TokenDeps,
  principal: Principal,
  id: string,
): Promise<TokenRecord> {
  const isAdministrator = access.may(principal, { action: 'administer' })
  return tokens.revoke(id, isAdministrator ? null : principal)
}

export function isExpired({ expires }: Pick<TokenRecord, 'expires'>, now: number): boolean {
  return expires !== null && expires <= now
}

function assertName(name: string): void {
  if (/^[^\p{Cc}\p{Cs}]{1,100}$/u.test(name) && name.trim() !== '') return
  throw malformedRequest('A token name has 1 to 100 characters, and no line breaks', 'name')
}
