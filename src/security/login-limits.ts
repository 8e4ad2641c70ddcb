import type { Clock } from '../lib/clock.ts'
import { networkOf, RateLimit, tooMany } from '../core/rate-limit.ts'
import { userKey } from './users-file.ts'

/** Failures that a user has free at an address before further ones wait. */
const FREE_FAILURES = 5
const FIRST_DELAY = 200
const LONGEST_DELAY = 5_000
/** No user has a longer name. */
const LONGEST_NAME = 255

/** Who logs in, and from where. */
export interface LoginPlace {
  readonly username: string
  readonly address: string
}

/**
 * How often logins may fail: of one user at one address, of an address, and of a user. An address
 * alone cannot use up what a user has, so that nobody locks somebody else out from a single place.
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
   * Counts a login as a failure until it succeeds, so that guesses made at once are limited too.
   * Gives the milliseconds that it has to wait.
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

  /** Counts it no more, and forgives this user at this address; others gain nothing by it. */
  succeed(place: LoginPlace): void {
    this.#atPlaces.forget(keysOf(place).both)
    this.abandon(place)
  }

  /** Counts it no more: nothing was compared. */
  abandon(place: LoginPlace): void {
    const { user, network, both } = keysOf(place)
    this.#atPlaces.giveBack(both)
    this.#ofAddresses.giveBack(network)
    this.#ofUsers.giveBack(user)
  }
}

function keysOf({ username, address }: LoginPlace) {
  const user = userKey(username.slice(0, LONGEST_NAME))
  const network = networkOf(address)
  return { user, network, both: `${network} ${user}` }
}

function delayAfter(failures: number): number {
  const over = failures - FREE_FAILURES
  return over < 0 ? 0 : Math.min(FIRST_DELAY * 2 ** over, LONGEST_DELAY)
}
