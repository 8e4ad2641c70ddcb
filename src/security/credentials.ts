import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import type { Principal } from '../core/principal.ts'
import { costOfLogin, isPasswordOf } from './password.ts'
import { findUser, type UsersReading } from './users-file.ts'

/** How long a verified password is remembered, in milliseconds. */
const REMEMBERED_FOR = 60_000
const REMEMBERED_AT_MOST = 10_000
/** Failures that an address has free before it is slowed down. */
const FREE_FAILURES = 5
const FIRST_DELAY = 200
const LONGEST_DELAY = 5_000
/** Silence after which the failures of an address are forgotten, in milliseconds. */
const FORGIVEN_AFTER = 300_000

interface Verified {
  readonly principal: Principal
  readonly until: number
}

interface Failures {
  readonly count: number
  readonly last: number
}

/**
 * Checks Basic credentials against the users file. A verified password is remembered as a keyed
 * hash, so that bcrypt runs once and not per request; repeated failures from one address wait,
 * which costs the caller time and the server nothing.
 */
export class CredentialCheck {
  readonly #users: () => Promise<UsersReading>
  readonly #clock: Clock
  readonly #wait: (milliseconds: number) => Promise<unknown>
  readonly #key = randomBytes(32).toString('base64')
  readonly #verified = new Map<string, Verified>()
  /** What a connection has sent last, as long as it is remembered. */
  #onConnection = new WeakMap<object, Verified & { readonly header: Buffer }>()
  readonly #failures = new Map<string, Failures>()
  readonly #underWay = new Map<string, Promise<Principal | null>>()

  constructor(options: {
    users: () => Promise<UsersReading>
    clock: Clock
    wait: (milliseconds: number) => Promise<unknown>
  }) {
    this.#users = options.users
    this.#clock = options.clock
    this.#wait = options.wait
  }

  /** The caller, when this header was verified a short time ago: one keyed hash and one look-up. */
  remembered(authorization: string): Principal | null {
    const known = this.#verified.get(this.#keyed(authorization))
    return known && known.until > this.#clock() ? known.principal : null
  }

  /** The caller that the header names with the right password, or null. */
  async check(authorization: string | undefined, address: string): Promise<Principal | null> {
    const given = authorization === undefined ? null : parseBasic(authorization)
    if (authorization === undefined || given === null) return null
    const known = this.remembered(authorization)
    if (known) return known
    const name = `${address} ${this.#keyed(authorization)}`
    const attempt = this.#underWay.get(name) ?? this.#attempt(authorization, given, address)
    this.#underWay.set(name, attempt)
    try {
      return await attempt
    } finally {
      this.#underWay.delete(name)
    }
  }

  /**
   * The same for a header that comes over a connection again, which is compared instead of hashed:
   * in a time that does not tell where it differs, since a proxy may share the connection.
   */
  rememberedOn(connection: object, authorization: string): Principal | null {
    const last = this.#onConnection.get(connection)
    const header = Buffer.from(authorization, 'latin1')
    const isSame = last?.header.length === header.length && timingSafeEqual(last.header, header)
    if (isSame && last.until > this.#clock()) return last.principal
    const verified = this.#verified.get(this.#keyed(authorization))
    if (!verified || verified.until <= this.#clock()) return null
    this.#onConnection.set(connection, { ...verified, header })
    return verified.principal
  }

  /** Forgets every verified password: the users file has changed. */
  forget(): void {
    this.#verified.clear()
    this.#onConnection = new WeakMap()
  }

  /** Counts as a failure until it succeeds, so that guesses made at once are slowed down, too. */
  async #attempt(
    authorization: string,
    { username, password }: { readonly username: string; readonly password: string },
    address: string,
  ): Promise<Principal | null> {
    const delay = this.#delayFor(address)
    this.#countFailure(address)
    await this.#wait(delay)
    const { users } = await this.#users()
    const [name, stored] = findUser(users, username) ?? [username, null]
    if (!(await isPasswordOf(stored, password, costOfLogin(users.values())))) return null
    this.#failures.delete(address)
    return this.#remember(authorization, { username: name })
  }

  #keyed(authorization: string): string {
    return hash('sha256', this.#key + authorization, 'base64')
  }

  #remember(authorization: string, principal: Principal): Principal {
    if (this.#verified.size >= REMEMBERED_AT_MOST) this.#verified.clear()
    const until = this.#clock() + REMEMBERED_FOR
    this.#verified.set(this.#keyed(authorization), { principal, until })
    return principal
  }

  #delayFor(address: string): number {
    const failures = this.#failures.get(address)
    if (!failures || this.#clock() - failures.last > FORGIVEN_AFTER) return 0
    const over = failures.count - FREE_FAILURES
    return over < 0 ? 0 : Math.min(FIRST_DELAY * 2 ** over, LONGEST_DELAY)
  }

  #countFailure(address: string): void {
    if (this.#failures.size >= REMEMBERED_AT_MOST) this.#failures.clear()
    const count = (this.#failures.get(address)?.count ?? 0) + 1
    this.#failures.set(address, { count, last: this.#clock() })
  }
}

/** User name and password of a Basic header, or null when it has another form. */
export function parseBasic(authorization: string): { username: string; password: string } | null {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization) ?? []
  if (encoded === undefined) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const separator = text.indexOf(':')
  if (separator < 0) return null
  return { username: text.slice(0, separator), password: text.slice(separator + 1) }
}
