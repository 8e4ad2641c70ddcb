import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { isSameName } from './name-key.ts'

/** The scopes of a token, from least to most. */
export const TokenScope = z.enum(['read', 'propose', 'operate', 'admin'])
export type TokenScope = z.infer<typeof TokenScope>

/** An issued secret that identified the caller in place of a password. */
export type IssuedCredential =
  | { readonly kind: 'token'; readonly id: string; readonly scope: TokenScope }
  | { readonly kind: 'session'; readonly id: string }

/** The sources of users: the users file, a directory, or an OpenID Connect provider. */
export const UserSource = z.enum(['users-file', 'ldap', 'oidc'])
export type UserSource = z.infer<typeof UserSource>
/** A source of users beside the users file. */
export type ExternalSource = Exclude<UserSource, 'users-file'>

/** A user as another source than the users file describes it. */
export interface ExternalUser {
  readonly source: ExternalSource
  /** Roles of the configuration that count as if the user were in them. */
  readonly roles: readonly string[]
}

/** The caller. */
export interface Principal {
  readonly username: string
  /**
   * Distinguishes users who had the same name one after the other; absent where the source has no
   * such id.
   */
  readonly userId?: string
  /** Absent for name and password. */
  readonly credential?: IssuedCredential
  /** Absent for a user of the users file. */
  readonly external?: ExternalUser
  /** The rules that the caller asks to pass in this call, by name. */
  readonly overrides?: readonly string[]
  /**
   * Asserts that the credential is good now, for a change that has waited for its turn; absent where nobody
   * calls.
   *
   * @throws {ServiceError} `not-authorized`; `unavailable`, `too-many-requests` when nothing is known.
   */
  readonly assertStillGood?: () => Promise<void>
}

/** The source that knows the caller. */
export function sourceOf({ external }: Principal): UserSource {
  return external?.source ?? 'users-file'
}

/**
 * Whether two names are those of one person: a directory or a provider may give somebody another name, and
 * gives nobody the id of somebody else.
 */
export function isSamePerson(
  one: Pick<Principal, 'username' | 'userId'>,
  other: Pick<Principal, 'username' | 'userId'>,
): boolean {
  const hasSameId = one.userId !== undefined && one.userId === other.userId
  return hasSameId || isSameName(one.username, other.username)
}

/** Whether two callers are the same user with the same credential and the same roles. */
export function isSamePrincipal(one: Principal, other: Principal): boolean {
  if (one === other) return true
  return (
    one.username === other.username &&
    one.userId === other.userId &&
    isDeepStrictEqual(one.credential, other.credential) &&
    isDeepStrictEqual(one.external, other.external)
  )
}

/** Whether a credential with `scope` suffices for a call that needs `needed`. */
export function isScopeEnough(needed: TokenScope, scope: TokenScope): boolean {
  return TokenScope.options.indexOf(needed) <= TokenScope.options.indexOf(scope)
}
