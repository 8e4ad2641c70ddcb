import { isSameName } from '../core/name-key.ts'
import { findUser, type UsersReading } from '../security/users.ts'

export interface DepartedUsersOptions {
  readonly users: () => Promise<UsersReading>
  /** Ends what was issued to those who are gone. */
  readonly revoke: (isGone: (username: string) => boolean) => Promise<void>
}

/**
 * Notices who is removed from the users file, so that somebody who gets the same name later does not
 * get what was issued to the first.
 */
export class DepartedUsers {
  readonly #options: DepartedUsersOptions
  #known: readonly string[] = []

  constructor(options: DepartedUsersOptions) {
    this.#options = options
  }

  /**
   * Looks at the users for the first time. Where the users file is the only one, whoever is not in it
   * is gone; the files of several servers need not be changed at once.
   */
  async begin(isOnlyFile: boolean): Promise<void> {
    const { users } = await this.#options.users()
    this.#known = [...users.keys()]
    if (isOnlyFile && users.size > 0)
      await this.#options.revoke((username) => findUser(users, username) === null)
  }

  /** Revokes what those have who were there before. A file that is empty or damaged says nothing. */
  async look(): Promise<void> {
    const { users, problems } = await this.#options.users()
    if (users.size === 0 || problems.length > 0) return
    const gone = this.#known.filter((username) => findUser(users, username) === null)
    this.#known = [...users.keys()]
    if (gone.length === 0) return
    await this.#options.revoke((username) => gone.some((name) => isSameName(name, username)))
  }
}
