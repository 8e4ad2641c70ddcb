import { isSameName, nameKey } from '../core/name-key.ts'
import { findUser, type UsersReading } from '../security/users.ts'
import type { IssuedOwner } from './issued-owner.ts'

export interface DepartedUsersOptions {
  readonly users: () => Promise<UsersReading>
  /** Ends what was issued to those who are gone. */
  readonly revoke: (isGone: (owner: IssuedOwner) => boolean) => Promise<void>
}

type KnownUser = Pick<IssuedOwner, 'name' | 'id'>

/**
 * Notices who is removed from the users file, so that somebody who gets the same name later does not
 * get what was issued to the first.
 */
export class DepartedUsers {
  readonly #options: DepartedUsersOptions
  #known: readonly KnownUser[] = []

  constructor(options: DepartedUsersOptions) {
    this.#options = options
  }

  /**
   * Looks at the users for the first time. Where the users file is the only one, whoever is not in it
   * is gone; the files of several servers need not be changed at once.
   */
  async begin(isOnlyFile: boolean): Promise<void> {
    const reading = await this.#options.users()
    this.#known = knownIn(reading)
    if (isOnlyFile && saysWhoIsGone(reading))
      await this.#options.revoke((owner) => isOfFile(owner) && isGone(reading, owner))
  }

  /** Revokes what those have who were there before. */
  async look(): Promise<void> {
    const reading = await this.#options.users()
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
}

function isOfFile({ source }: IssuedOwner): boolean {
  return source === 'users-file'
}

/** A file that is empty says nothing, nor does one that somebody is writing. */
function saysWhoIsGone({ users, isTorn }: UsersReading): boolean {
  return users.size > 0 && !isTorn
}

function knownIn({ users, ids }: UsersReading): readonly KnownUser[] {
  return Array.from(users.keys(), (name) => ({ name, id: ids.get(name) ?? null }))
}

/** A user whose line cannot be used is still there. */
function isGone(reading: UsersReading, { name, id }: KnownUser): boolean {
  if (isUnusable(reading, name)) return false
  const found = findUser(reading.users, name)
  return found === null || (reading.ids.get(found[0]) ?? null) !== id
}

function isUnusable({ unusable }: UsersReading, name: string): boolean {
  return unusable.some((other) => nameKey(other) === nameKey(name))
}
