import type { Clock } from '../lib/clock.ts'
import { networkOf, RateLimit, siteOf, tooMany } from '../core/service/rate-limit.ts'
import { usernameKey } from '../core/username.ts'

/** The number of failures of a user at an address that are not delayed. */
const FREE_FAILURES = 5
const FIRST_DELAY_MS = 200
const MAX_DELAY_MS = 5_000
/** The limit of a user name's length. */
const MAX_NAME_LENGTH = 255

/** The user of a login, and its address. */
export interface LoginPlace {
  readonly username: string
  readonly address: string
}

/** Whether two names share their limits: they may be one user, whatever their case, width and blanks are. */
export function isSameLogin(one: string, other: string): boolean {
  return usernameKey(one) === usernameKey(other)
}

/**
 * Limits failed log-ins: of a user at one address and at one site, of an address, and of a user. A
 * single site cannot exhaust the limit of a user, so nobody can lock another user out from one
 * place.
 *
 * Invalid tokens are counted apart: they cannot be guessed and cost no bcrypt comparison, so they
 * lock out neither a user nor others at the same address.
 */
export class LoginLimits {
  readonly #atPlaces: RateLimit
  readonly #atSites: RateLimit
  readonly #ofAddresses: RateLimit
  readonly #ofUsers: RateLimit
  readonly #tokens: RateLimit

  constructor(clock: Clock) {
    this.#atPlaces = new RateLimit({ clock, burst: 20, every: 15_000 })
    this.#atSites = new RateLimit({ clock, burst: 50, every: 5_000 })
    this.#ofAddresses = new RateLimit({ clock, burst: 100, every: 1_000 })
    this.#ofUsers = new RateLimit({ clock, burst: 100, every: 1_000 })
    this.#tokens = new RateLimit({ clock, burst: 100, every: 1_000 })
  }

  /**
   * Counts a login as a failure until it succeeds, so that concurrent guesses are limited too.
   * Returns the delay in milliseconds.
   *
   * @throws {ServiceError} `too-many-requests`, and counts nothing.
   */
  begin(place: LoginPlace): number {
    const counts = this.#countsOf(place)
    const wait = Math.max(...counts.map(([limit, key]) => limit.wait(key)))
    if (wait > 0) throw tooMany('logins have failed', wait)
    const delay = delayAfter(this.#atPlaces.used(placeKey(place)))
    for (const [limit, key] of counts) limit.take(key)
    return delay
  }

  /**
   * Counts a token that is no good. Returns the delay in milliseconds.
   *
   * @throws {ServiceError} `too-many-requests`, and counts nothing.
   */
  countToken(address: string): number {
    const network = networkOf(address)
    const delay = delayAfter(this.#tokens.used(network))
    const wait = this.#tokens.take(network)
    if (wait > 0) throw tooMany('logins have failed', wait)
    return delay
  }

  /** Removes the failure and the earlier ones of this user at this address; other limits stay. */
  succeed(place: LoginPlace): void {
    this.#atPlaces.forget(placeKey(place))
    this.abandon(place)
  }

  /** Removes the failure because nothing was compared. */
  abandon(place: LoginPlace): void {
    for (const [limit, key] of this.#countsOf(place)) limit.release(key)
  }

  /** The limits that a login counts in, each with its key there. */
  #countsOf(place: LoginPlace): readonly (readonly [RateLimit, string])[] {
    return [
      [this.#atPlaces, placeKey(place)],
      [this.#atSites, `${siteOf(place.address)} ${limitedUser(place)}`],
      [this.#ofAddresses, networkOf(place.address)],
      [this.#ofUsers, limitedUser(place)],
    ]
  }
}

function placeKey(place: LoginPlace): string {
  return `${networkOf(place.address)} ${limitedUser(place)}`
}

function limitedUser({ username }: LoginPlace): string {
  return usernameKey(username).slice(0, MAX_NAME_LENGTH)
}

function delayAfter(failures: number): number {
  const over = failures - FREE_FAILURES
  return over < 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** over, MAX_DELAY_MS)
}
