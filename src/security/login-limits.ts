import type { Clock } from '../lib/clock.ts'
import { networkOf, RateLimit, tooMany } from '../core/rate-limit.ts'
import { usernameKey } from '../core/username.ts'

/** The number of failures of a user at an address that are not delayed. */
const FREE_FAILURES = 5
const FIRST_DELAY = 200
const LONGEST_DELAY = 5_000
/** The limit of a user name's length. */
const LONGEST_NAME = 255

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
 * Limits failed logins: of one user at one address, of an address, and of a user. A single address
 * cannot exhaust the limit of a user, so nobody locks somebody else out from one place.
 */
export class LoginLimits {
  readonly #atPlaces: RateLimit
  readonly #ofAddresses: RateLimit
  readonly #ofUsers: RateLimit

  constructor(clock: Clock) {
    this.#atPlaces = new RateLimit({ clock, burst: 20, every: 15_000 })
    this.#ofAddresses = new RateLimit({ clock, burst: 100, every: 1_000 })
    this.#ofUsers = new RateLimit({ clock, burst: 100, every: 1_000 })
  }

  /**
   * Counts a login as a failure until it succeeds, so that concurrent guesses are limited too.
   * Returns the delay in milliseconds.
   *
   * @throws {ServiceError} `too-many-requests`, and counts nothing.
   */
  begin(place: LoginPlace): number {
    const { user, network, both } = keysOf(place)
    const wait = Math.max(
      this.#atPlaces.wait(both),
      this.#ofAddresses.wait(network),
      this.#ofUsers.wait(user),
    )
    if (wait > 0) throw tooMany('logins have failed', wait)
    const delay = delayAfter(this.#atPlaces.used(both))
    this.#atPlaces.take(both)
    this.#ofAddresses.take(network)
    this.#ofUsers.take(user)
    return delay
  }

  /** Removes the failure and the earlier ones of this user at this address; other limits stay. */
  succeed(place: LoginPlace): void {
    this.#atPlaces.forget(keysOf(place).both)
    this.abandon(place)
  }

  /** Removes the failure because nothing was compared. */
  abandon(place: LoginPlace): void {
    const { user, network, both } = keysOf(place)
    this.#atPlaces.release(both)
    this.#ofAddresses.release(network)
    this.#ofUsers.release(user)
  }
}

function keysOf({ username, address }: LoginPlace) {
  const user = usernameKey(username).slice(0, LONGEST_NAME)
  const network = networkOf(address)
  return { user, network, both: `${network} ${user}` }
}

function delayAfter(failures: number): number {
  const over = failures - FREE_FAILURES
  return over < 0 ? 0 : Math.min(FIRST_DELAY * 2 ** over, LONGEST_DELAY)
}
