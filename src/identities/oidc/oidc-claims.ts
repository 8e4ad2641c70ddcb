import { assertNameOfElsewhere, refusedLogIn } from '../refused-log-in.ts'

/** The claims of a provider about a user who logs in. */
export type Claims = Readonly<Record<string, unknown>>

/** The claims that name the user and the roles. */
export interface ClaimNames {
  readonly username: string
  /** Null where the provider knows no roles. */
  readonly roles: string | null
}

const MAX_ROLES = 200
const MAX_ROLE_LENGTH = 255

/**
 * The user and the roles that the claims name.
 *
 * @throws {ServiceError} `log-in-refused`
 */
export function userOfClaims(claims: Claims, names: ClaimNames) {
  const username = claimOf(claims, names.username)
  if (typeof username !== 'string') {
    throw refusedLogIn('The provider gives no name that a user can have here', names.username)
  }
  assertNameOfElsewhere(username, names.username)
  if (names.username === 'email' && claims['email_verified'] !== true) {
    throw refusedLogIn('The provider has not verified your address', 'email_verified')
  }
  return {
    username,
    roles: names.roles === null ? [] : rolesOfClaim(claimOf(claims, names.roles)),
  }
}

/** The id that the provider never gives to another user. */
export function userIdOf({ iss, sub }: Claims): string {
  return `${String(iss)} ${String(sub)}`
}

/** A claim by its name, or by its place: providers have roles in places such as `realm_access.roles`. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name.split('.').reduce<unknown>(memberOf, claims)
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([key]) => key === name)?.[1]
}

/** One role or a list of them; whatever else is there is no role. */
function rolesOfClaim(claim: unknown): readonly string[] {
  const roles = (Array.isArray(claim) ? claim : [claim]).filter(
    (role) => typeof role === 'string' && role !== '' && role.length <= MAX_ROLE_LENGTH,
  )
  return [...new Set<string>(roles)].slice(0, MAX_ROLES)
}
