import { isSameName, nameKey } from '../core/name-key.ts'
import { findUser, type UsersReading, isDisabledUser } from '../security/users.ts'
import type { IssuedOwner } from './issued-owner.ts'
import type { Principal } from '../core/principal.ts'
import type { UserAdministrationDeps } from './administer-users.ts'
import { isDisabledElsewhere } from './disabled-users.ts'

export interface DepartedUsersOptions {
  readonly users: () => Promise<UsersReading>
  /** Revokes all that was issued to users who are gone. */
  readonly revoke: (isGone: (owner: IssuedOwner) => boolean) => Promise<void>
  /** Ends the sessions of users who are disabled, for good: they do not come back with the user. */
  readonly endSessions: (isDisabled: (owner: IssuedOwner) => boolean) => Promise<void>
}

type KnownUser = Pick<IssuedOwner, 'name' | 'id'>

/**
 * Detects users who were removed from the users file, so that a later user of the same name does
 * not inherit their credentials.
 */
export class DepartedUsers {
  readonly #options: DepartedUsersOptions
  #known: readonly KnownUser[] = []

  constructor(options: DepartedUsersOptions) {
    this.#options = options
  }

  /**
   * Reads the users for the first time. When the users file is the only one, users who are not in
   * it are gone; the files of several servers need not change at the same time.
   */
  async begin(isOnlyFile: boolean): Promise<void> {
    const reading = await this.#options.users()
    this.#known = knownIn(reading)
    await this.#endSessionsOfDisabled(reading)
    if (isOnlyFile && saysWhoIsGone(reading))
      await this.#options.revoke((owner) => isOfFile(owner) && isGone(reading, owner))
  }

  /** Revokes the credentials of users who have left since the last look, and the sessions of disabled ones. */
  async look(): Promise<void> {
    const reading = await this.#options.users()
    await this.#endSessionsOfDisabled(reading)
    if (!saysWhoIsGone(reading)) return
    const gone = this.#known.filter((user) => isGone(reading, user))
    const left = this.#known.filter(({ name }) => isUnusable(reading, name))
    this.#known = [...knownIn(reading), ...left]
    if (gone.length === 0) return
    await this.#options.revoke(
      (owner) =>
        isOfFile(owner) &&
        gone.some(({ name, id }) => isSameName(name, owner.name) && id === owner.id),
    )
  }

  async #endSessionsOfDisabled({ users }: UsersReading): Promise<void> {
    const disabled = new Set(
      Array.from(users).flatMap(([name, stored]) =>
        isDisabledUser(stored) ? [nameKey(name)] : [],
      ),
    )
    if (disabled.size === 0) return
    await this.#options.endSessions((owner) => isOfFile(owner) && disabled.has(nameKey(owner.name)))
  }
}

function isOfFile({ source }: IssuedOwner): boolean {
  return source === 'users-file'
}

/** An empty file proves nothing, and neither does one that is being written. */
function saysWhoIsGone({ users, isTorn }: UsersReading): boolean {
  return users.size > 0 && !isTorn
}

function knownIn({ users, ids }: UsersReading): readonly KnownUser[] {
  return Array.from(users.keys(), (name) => ({ name, id: ids.get(name) ?? null }))
}

/** A user with an unusable line is still there. */
function isGone(reading: UsersReading, { name, id }: KnownUser): boolean {
  if (isUnusable(reading, name)) return false
  const found = findUser(reading.users, name)
  return found === null || (reading.ids.get(found[0]) ?? null) !== id
}

function isUnusable({ unusable }: UsersReading, name: string): boolean {
  return unusable.some((other) => nameKey(other) === nameKey(name))
}

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
