import { randomBytes } from 'node:crypto'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { UserSourceState } from '../../core/service/user-source-state.ts'
import { networkOf, RateLimit, tooMany } from '../../core/service/rate-limit.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { findUser, type UsersReading } from '../../security/users.ts'
import { Reachability } from '../reachability.ts'
import { LoginAttempts } from './login-attempts.ts'
import { refusedLogIn } from '../refused-log-in.ts'
import { type ClaimNames, userIdOf, userOfClaims } from './oidc-claims.ts'
import { detailOf, OidcProvider, type OidcProviderOptions, unfitAnswer } from './oidc-provider.ts'

export interface OidcLogInOptions extends Omit<OidcProviderOptions, 'claims'> {
  readonly claims: ClaimNames
  /** The key that seals the data in browsers. */
  readonly key: Uint8Array
  readonly users: () => Promise<UsersReading>
  /** The user, unless an administrator has disabled the user here. */
  readonly letIn: (found: Promise<Principal>) => Promise<Principal | null>
  readonly clock: Clock
  readonly log: Log
}

/** A log-in that has begun: the next address, and the data that the browser stores meanwhile. */
export interface BegunLogIn {
  readonly location: string
  readonly sealed: string
}

/** The answer of the provider, as a browser brings it back. */
export interface ReturnedLogIn {
  /** The query of the request. */
  readonly search: string
  /** The sealed attempt from the browser; null for none. */
  readonly sealed: string | null
  readonly address: string
}

/** The log-in of people by OpenID Connect: authorization code, with PKCE, state and nonce. */
export class OidcLogIn {
  readonly #options: OidcLogInOptions
  readonly #provider: OidcProvider
  readonly #attempts: LoginAttempts
  readonly #reachability: Reachability
  /** Each log-in is work for the provider. */
  readonly #limit: RateLimit

  constructor(options: OidcLogInOptions) {
    const { claims, key, clock } = options
    const wanted = [
      claims.username,
      ...(claims.username === 'email' ? ['email_verified'] : []),
      ...(claims.roles === null ? [] : [claims.roles]),
    ]
    this.#options = options
    this.#provider = new OidcProvider({ ...options, claims: wanted })
    this.#attempts = new LoginAttempts(key, clock)
    this.#reachability = new Reachability(clock)
    this.#limit = new RateLimit({ clock, burst: 60, every: 1_000 })
  }

  /** The name of the provider for people. */
  get name(): string {
    return this.#provider.host
  }

  /** Whether the provider was there at the last log-in. */
  state(): UserSourceState {
    const name = `The OpenID Connect provider ${this.name}`
    return { source: 'oidc', name, away: this.#reachability.away }
  }

  /**
   * Begins a log-in that leads to `next`.
   *
   * @throws {ServiceError} `unavailable`, `too-many-requests`.
   */
  begin(next: string, address: string): Promise<BegunLogIn> {
    return this.#logged(address, async () => {
      const [state, nonce, verifier] = [newSecret(), newSecret(), newSecret()]
      const location = await this.#reachability.noted(() =>
        this.#provider.addressFor({ state, nonce, verifier }),
      )
      return { location, sealed: await this.#attempts.seal({ state, nonce, verifier, next }) }
    })
  }

  /**
   * Completes a log-in: returns the user whom the provider has authenticated, and the page to go
   * to.
   *
   * @throws {ServiceError} `log-in-refused`, `unavailable`, `too-many-requests`.
   */
  finish({ search, sealed, address }: ReturnedLogIn) {
    return this.#logged(address, async () => {
      const state = new URLSearchParams(search).get('state')
      const attempt = sealed === null ? null : await this.#attempts.use(sealed, state)
      if (attempt === 'another') throw unfitAnswer('It is the answer to another log-in')
      if (attempt === null) {
        throw refusedLogIn('This log-in took too long or is over: begin again', 'no attempt')
      }
      const claims = await this.#reachability.noted(() => this.#provider.claimsOf(search, attempt))
      return { principal: await this.#userOf(claims), next: attempt.next }
    })
  }

  /** Whether a log-in that a browser keeps can still be completed. */
  isPending(sealed: string): Promise<boolean> {
    return this.#attempts.isPending(sealed)
  }

  async #userOf(claims: Readonly<Record<string, unknown>>): Promise<Principal> {
    const { username, roles } = userOfClaims(claims, this.#options.claims)
    const { users } = await this.#options.users()
    if (findUser(users, username) !== null) {
      const message = `${username} is the name of a user who logs in with a password here`
      throw refusedLogIn(message, `collision of ${username}`)
    }
    const userId = userIdOf(claims)
    const user = { username, userId, external: { source: 'oidc', roles } } as const
    const principal = await this.#options.letIn(Promise.resolve(user))
    if (principal !== null) return principal
    throw refusedLogIn(`The user ${username} is disabled here`, `${username} is disabled`)
  }

  /** Users see one line; details for operators go to the log. */
  async #logged<Result>(address: string, step: () => Promise<Result>): Promise<Result> {
    const wait = this.#limit.take(networkOf(address))
    if (wait > 0) throw tooMany('log-ins', wait)
    try {
      return await step()
    } catch (error) {
      if (error instanceof ServiceError) {
        const facts = { reason: detailOf(error), ...detailIn(error), address }
        this.#options.log({ level: 'warning', message: 'A log-in by OpenID Connect failed', facts })
      }
      throw error
    }
  }
}

function detailIn({ facts }: ServiceError): { detail?: string } {
  return 'detail' in facts ? { detail: facts.detail } : {}
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}
