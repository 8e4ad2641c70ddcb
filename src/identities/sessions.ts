import { hash } from 'node:crypto'
import type { Principal } from '../core/principal.ts'
import { keptOf, newSessionSecret } from '../security/issued-secret.ts'
import { findUser, type Users } from '../security/users.ts'
import { findOwner, isSameOwner, ownerOf } from './issued-owner.ts'
import { type SessionRecord, SESSIONS } from './issued-record.ts'
import { IssuedRecords } from './issued-records.ts'
import type { OwnedRecordsOptions } from './owned-records.ts'

/** The time without use after which a session ends, in milliseconds. */
const IDLE_TIMEOUT_MS = 12 * 60 * 60 * 1_000
/** The lifetime of a session of a user who is not in the users file, in milliseconds. */
const VOUCHED_FOR_MS = 24 * 60 * 60 * 1_000
/** The limit of sessions of a user; a further one ends the least recently used one. */
const MAX_SESSIONS = 20

/** The sessions of users who logged in on a page. */
export class Sessions extends IssuedRecords<SessionRecord> {
  constructor(options: OwnedRecordsOptions) {
    super(SESSIONS, options)
  }

  /** Finds the user of a session; null when it has ended. */
  async find(secret: string): Promise<Principal | null> {
    const record = await this.findIssued(secret)
    if (record === null || this.#isIdle(record)) return null
    const owner = await findOwner(this.options, record.owner, VOUCHED_FOR_MS)
    const { users } = await this.options.users()
    if (owner === null || passwordMark(users, owner) !== record.password) return null
    this.noteUse(record)
    return { ...owner, credential: { kind: 'session', id: record.id } }
  }

  /** Begins a session of a user who has just logged in. Returns the value of the cookie. */
  async begin(principal: Principal): Promise<string> {
    const { users } = await this.options.users()
    const secret = newSessionSecret()
    const now = this.options.clock()
    const record = {
      ...keptOf(secret),
      owner: ownerOf(principal, now),
      created: now,
      lastUsed: null,
      password: passwordMark(users, principal),
    }
    await this.add(record, (others) => this.#endedBy(principal, others))
    return secret
  }

  /** Ends the session that a cookie names, if there is one. */
  async end(secret: string): Promise<void> {
    const { id, hash: kept } = keptOf(secret)
    await this.endOne(id, (record) => record.hash === kept)
  }

  list(): Promise<SessionRecord[]> {
    return this.listed((record) => !this.#isIdle(record))
  }

  /** The sessions that a further one of a user ends: idle ones of all, and those for which that leaves no room. */
  #endedBy(principal: Principal, others: readonly SessionRecord[]): readonly SessionRecord[] {
    const idle = others.filter((each) => this.#isIdle(each))
    const own = others.filter((each) => isSameOwner(each.owner, principal) && !this.#isIdle(each))
    const byUse = own.toSorted((one, other) => lastUseOf(other) - lastUseOf(one))
    return [...idle, ...byUse.slice(MAX_SESSIONS - 1)]
  }

  #isIdle(record: SessionRecord): boolean {
    return this.options.clock() - lastUseOf(record) > IDLE_TIMEOUT_MS
  }
}

function lastUseOf({ created, lastUsed }: SessionRecord): number {
  return Math.max(created, lastUsed ?? 0)
}

/** Differs when the password in the users file does: with that the session ends. */
function passwordMark(users: Users, { username, external }: Principal): string | null {
  return external ? null : hash('sha256', findUser(users, username)?.[1] ?? '')
}
