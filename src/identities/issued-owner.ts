import { z } from 'zod'
import { isSameName } from '../core/name-key.ts'
import { type Principal, sourceOf, UserSource } from '../core/principal.ts'
import { findUser, isDisabledUser, type Users } from '../security/users.ts'

/** Whom something was issued to: a name, and where that name is known. */
export const IssuedOwner = z.object({
  name: z.string(),
  source: UserSource,
  /** The roles that another source than the users file gave at the last log-in. */
  roles: z.array(z.string()).readonly().default([]),
  /** When that was, in milliseconds since the UNIX epoch. */
  vouched: z.int().default(0),
})
export type IssuedOwner = Readonly<z.infer<typeof IssuedOwner>>

/** The owner of what is issued to a user now. */
export function ownerOf(principal: Principal, now: number): IssuedOwner {
  const { username: name, external } = principal
  return { name, source: sourceOf(principal), roles: external?.roles ?? [], vouched: now }
}

export interface OwnerLimits {
  readonly now: number
  /** How long the word of another source than the users file is good, in milliseconds. */
  readonly vouchedFor: number
}

/**
 * Whom an owner is now; null for a user who is gone or disabled. A name of the users file belongs to the user
 * there and to nobody else, and the word of another source does not last for ever.
 */
export function currentOwner(
  users: Users,
  { name, source, roles, vouched }: IssuedOwner,
  { now, vouchedFor }: OwnerLimits,
): Principal | null {
  const local = findUser(users, name)
  if (source === 'users-file') {
    return local === null || isDisabledUser(local[1]) ? null : { username: local[0] }
  }
  if (local !== null || now - vouched > vouchedFor) return null
  return { username: name, external: { source, roles } }
}

/** Whether what was issued to the owner is the user's, who is known in the same place. */
export function isSameOwner({ name, source }: IssuedOwner, principal: Principal): boolean {
  return isSameName(name, principal.username) && source === sourceOf(principal)
}
