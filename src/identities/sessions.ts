import { hash } from 'node:crypto'
import type { Principal } from '../core/principal.ts'
import { keptOf, newSessionSecret } from '../security/issued-secret.ts'
import { findUser, type Users, type UsersReading } from '../security/users.ts'
import { currentOwner, ownerOf } from './issued-owner.ts'
import { type SessionRecord, SESSIONS } from './issued-record.ts'
import { isOwner, IssuedRecords, type IssuedRecordsOptions } from './issued-records.ts'

/** A session ends when it was not used for so long, in milliseconds. */
const IDLE = 12 * 60 * 60 * 1_000
/** A session of a user who is not in the users file ends so long after the log-in, in milliseconds. */
const VOUCHED_FOR = 24 * 60 * 60 * 1_000

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
    const limits = { now: this.#options.clock(), vouchedFor: VOUCHED_FOR }
    const owner = currentOwner(users, record.owner, limits)
    if (owner === null || passwordMark(users, owner) !== record.password) return null
    this.#records.noteUse(record)
    return { ...owner, credential: { kind: 'session', id: record.id } }
  }

  /** Begins a session of a user who has just logged in. Returns what the cookie has. */
  async begin(principal: Principal): Promise<string> {
    const { users } = await this.#options.users()
    const secret = newSessionSecret()
    const now = this.#options.clock()
    await this.#records.endAll((record) => this.#isIdle(record))
    await this.#records.add({
      ...keptOf(secret),
      owner: ownerOf(principal, now),
      created: now,
      lastUsed: null,
      password: passwordMark(users, principal),
    })
    return secret
  }

  /** Ends the session that a cookie names, if there is one. */
  async end(secret: string): Promise<void> {
    const { id, hash: kept } = keptOf(secret)
    await this.#records.end(id, (record) => record.hash === kept)
  }

  /** Every session. */
  list(): Promise<SessionRecord[]> {
    return this.#records.list((record) => !this.#isIdle(record))
  }

  /** Ends every session of a user. */
  endOf(username: string): Promise<void> {
    return this.#records.endAll((record) => isOwner(record, username))
  }

  /** Ends the sessions of users who are gone from the users file. */
  endOfGone(isGone: (username: string) => boolean): Promise<void> {
    return this.#records.endAll(({ owner }) => owner.source === 'users-file' && isGone(owner.name))
  }

  #isIdle({ created, lastUsed }: SessionRecord): boolean {
    return this.#options.clock() - Math.max(created, lastUsed ?? 0) > IDLE
  }
}

/** Differs when the password in the users file does: with that the session ends. */
function passwordMark(users: Users, { username, external }: Principal): string | null {
  return external ? null : hash('sha256', findUser(users, username)?.[1] ?? '')
}
