import { FIRST_USER } from './first-user.ts'
import type { KnownUser } from './permission-reasons.ts'
import type { AccessRules } from './permissions.ts'

/**
 * Whether a user is the first one of the users file while the configuration makes none of those who
 * can log in an administrator: there has to be one. No other user gets these rights by that name.
 */
export function isLastResort(
  rules: AccessRules,
  { username, external }: KnownUser,
  usernames: readonly string[],
): boolean {
  return (
    username === FIRST_USER &&
    external === undefined &&
    !usernames.some((name) => rules.permissionsOf({ username: name }).isAdministrator)
  )
}
