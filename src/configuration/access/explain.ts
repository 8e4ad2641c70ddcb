import { userNotFound } from '../../security/users.ts'
import type { Principal } from '../../core/principal.ts'
import type { ReasonedPermission, KnownUser } from '../../security/permission-reasons.ts'
import { isSameName } from '../../core/name-key.ts'
import { type Access, assertMay } from './permission.ts'

/** The entries of the configuration about a user. */
export interface ExplainedUser {
  readonly user: string
  readonly administrator: boolean
  readonly roles: readonly string[]
  /** The pipeline groups that the user may view. */
  readonly groups: readonly string[]
  readonly permissions: readonly ReasonedPermission[]
}

export interface ExplainDeps {
  readonly access: Access & {
    /** Null for somebody who cannot log in. */
    explain(user: KnownUser): ExplainedUser | null
  }
}

/** The caller, with roles and permissions. */
export function readOwnRights({ access }: ExplainDeps, principal: Principal) {
  const explained = found(access.explain(principal), principal.username)
  const { user, administrator, roles, groups } = explained
  return { name: user, administrator, roles, groups }
}

/**
 * The permissions of a user (the caller when absent), and the entries of the configuration that
 * grant them.
 *
 * @throws {ServiceError} `not-permitted`, `user-not-found`.
 */
export function explainUser(
  { access }: ExplainDeps,
  principal: Principal,
  username: string = principal.username,
): Omit<ExplainedUser, 'groups'> {
  assertMay(access, principal, { action: 'administer' })
  const user = isSameName(username, principal.username) ? principal : { username }
  const { groups: _groups, ...explained } = found(access.explain(user), username)
  return explained
}

function found(explained: ExplainedUser | null, username: string): ExplainedUser {
  if (explained !== null) return explained
  throw userNotFound(username)
}
