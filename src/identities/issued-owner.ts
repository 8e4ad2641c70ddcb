import { z } from 'zod'
import { isSameName } from '../core/name-key.ts'
import { type Principal, sourceOf, UserSource } from '../core/principal.ts'
import type { Clock } from '../lib/clock.ts'
import { findUser, isDisabledUser, localPrincipal, type UsersReading } from '../security/users.ts'
import type { StateStore } from '../state/state-store.ts'
import { isDisabledElsewhere } from './disabled-users.ts'

/** The user to whom a credential was issued: source, name and id. */
export const IssuedOwner = z.object({
  name: z.string(),
  source: UserSource,
  /** Null for a user without an id, and in credentials of versions without ids. */
  id: z.string().nullable().default(null),
  /** The roles that another source than the users file gave at the last log-in. */
  roles: z.array(z.string()).readonly().default([]),
  /** When that was, in milliseconds since the UNIX epoch. */
  vouched: z.int().default(0),
})
export type IssuedOwner = Readonly<z.infer<typeof IssuedOwner>>

/** The owner of credentials that are issued to a user now. */
export function ownerOf(principal: Principal, now: number): IssuedOwner {
  const { username: name, userId: id = null, external } = principal
  return { name, source: sourceOf(principal), id, roles: external?.roles ?? [], vouched: now }
}

export interface OwnerDeps {
  readonly store: StateStore
  readonly users: () => Promise<UsersReading>
  readonly clock: Clock
}

/**
 * Resolves an owner to a current user; null for one who is gone, disabled, or replaced by another.
 * A name of the users file belongs to the user there alone; other sources vouch for a user for
 * `vouchedFor` milliseconds.
 */
export async function findOwner(
  { store, users, clock }: OwnerDeps,
  owner: IssuedOwner,
  vouchedFor: number,
): Promise<Principal | null> {
  const { name, source, id, roles, vouched } = owner
  const reading = await users()
  const local = findUser(reading.users, name)
  if (source === 'users-file') {
    if (local === null || isDisabledUser(local[1])) return null
    const principal = localPrincipal(reading, local[0])
    return isSameOwner(owner, principal) ? principal : null
  }
  if (local !== null || clock() - vouched > vouchedFor) return null
  const principal = { username: name, ...(id === null ? {} : { userId: id }) }
  const known = { ...principal, external: { source, roles } }
  return (await isDisabledElsewhere(store, known)) ? null : known
}

/**
 * Whether a credential of this owner belongs to the user. Users of other sources are compared by id
 * when both have one: credentials of older versions have none.
 */
export function isSameOwner({ name, source, id }: IssuedOwner, principal: Principal): boolean {
  const { username, userId = null } = principal
  if (source !== sourceOf(principal) || !isSameName(name, username)) return false
  return id === userId || (source !== 'users-file' && (id === null || userId === null))
}
