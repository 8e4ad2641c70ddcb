import type { Principal } from '../core/principal.ts'
import { findUser, isDisabledUser } from '../security/users.ts'
import type { UserAdministrationDeps } from './administer-users.ts'
import { isDisabledElsewhere } from './disabled-users.ts'

/**
 * Whether somebody who acted earlier is the same user now, and can log in. A directory or a provider is
 * not asked: its users are those whom it has let in and who are not disabled.
 */
export async function isStillUser(
  {
    accounts,
    identityStore,
    sourcesElsewhere,
  }: Pick<UserAdministrationDeps, 'accounts' | 'identityStore' | 'sourcesElsewhere'>,
  person: Pick<Principal, 'username' | 'userId' | 'external'>,
): Promise<boolean> {
  const { users, ids } = await accounts.read()
  const local = findUser(users, person.username)
  if (person.external !== undefined) {
    const isKnown = local === null && sourcesElsewhere.includes(person.external.source)
    return isKnown && !(await isDisabledElsewhere(identityStore, person))
  }
  if (local === null) return false
  const [name, stored] = local
  return !isDisabledUser(stored) && ids.get(name) === person.userId
}
