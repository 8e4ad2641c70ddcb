import { hash } from 'node:crypto'
import type { Principal } from '../core/principal.ts'
import { keptOf, newSessionSecret } from '../security/issued-secret.ts'
import { findUser, type UsersReading } from '../security/users.ts'
import { type SessionRecord, SESSIONS } from './issued-record.ts'
import { isOwner, IssuedRecords, type IssuedRecordsOptions } from './issued-records.ts'

/** A session ends when it was not used for so long, in milliseconds. */
const IDLE = 12 * 60 * 60 * 1_000

export interface SessionsOptions extends IssuedRecordsOptions {
  readonly users: () => Promise<UsersReading>
}

/** The sessions of people who logged in on a page. */
export class Sessions {
  readonly #options: SessionsOptions
  readonly #records: IssuedRecords<SessionRecord>

  constructor(options: SessionsOptions) {
    this.#options = options
    this.#records = new IssuedRecords(SESSIONS, options)
  }

  /** Whom a session stands for now; null when it has ended. */
  async find(secret: string): Promise<Principal | null> {
    const record = await this.#records.find(secret)
    if (record === null || this.#isIdle(record)) return null
    const { users } = await this.#options.users()
    const owner = findUser(users, record.owner.name)
    if (owner === null || passwordMark(owner[1]) !== record.password) return null
    this.#records.noteUse(record)
    return { username: owner[0], credential: { kind: 'session', id: record.id } }
  }

  /** Begins a session of a user who has just given the password. Returns what the cookie has. */
  async begin(username: string): Promise<string> {
    const { users } = await this.#options.users()
    const [name, password] = findUser(users, username) ?? [username, '']
    const secret = newSessionSecret()
    const now = this.#options.clock()
    await this.#records.endAll((record) => this.#isIdle(record))
    await this.#records.add({
      ...keptOf(secret),
      owner: { name, source: 'users-file' },
      created: now,
      lastUsed: null,
      password: passwordMark(password),
    })
    return secret
  }

  /** Ends the session that a cookie names, if there is one. */
  async end(secret: string): Promise<void> {
    const { id, hash: kept } = keptOf(secret)
    await this.#records.end(id, (record) => record.hash === kept)
  }

  /** Ends every session of a user. */
  endOf(username: string): Promise<void> {
    return this.#records.endAll((record) => isOwner(record, username))
  }

  /** Ends the sessions of users who are gone. */
  endOfGone(isGone: (username: string) => boolean): Promise<void> {
    return this.#records.endAll(({ owner }) => isGone(owner.name))
  }

  #isIdle({ created, lastUsed }: SessionRecord): boolean {
    return this.#options.clock() - Math.max(created, lastUsed ?? 0) > IDLE
  }
}

/** Differs when the password does: with that the session ends. */
function passwordMark(stored: string): string {
  return hash('sha256', stored)
}
