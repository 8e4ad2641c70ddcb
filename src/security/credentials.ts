import { hash, randomBytes } from 'node:crypto'
import { type Clock, steadyClock } from '../lib/clock.ts'
import type { IssuedCredential, Principal } from '../core/principal.ts'
import { tooMany } from '../core/service/rate-limit.ts'
import { isSameLogin, LoginLimits, type LoginPlace } from './login-limits.ts'
import { isApiToken, meansApiToken } from './issued-secret.ts'
import { costOfLogin, PASSWORD_COST, type PasswordCheck } from './password.ts'
import { findUser, isDisabledUser, localPrincipal, type UsersReading } from './users.ts'

/** The time for which a verified password is cached. */
const PASSWORD_CACHED_MS = 60_000
/**
 * The time for which a token or a session is cached: another server or the command line may have
 * revoked it.
 */
const ISSUED_CACHED_MS = 500
const MAX_CACHED = 10_000
/** The time after which a look-up that failed is made again, in milliseconds. */
const RETRY_INTERVAL_MS = 1_000
/**
 * The limits of concurrent password checks: for new credentials, and including those that were
 * valid before.
 */
const MAX_CHECKS = 64
const MAX_CHECKS_WITH_GOOD = 2 * MAX_CHECKS
/** The `Retry-After` of a refused caller, in milliseconds. */
const RETRY_AFTER_MS = 2_000

/** A name and a password, as they were entered. */
export interface GivenPassword {
  readonly username: string
  readonly password: string
}

/** A log-in that another source than the users file checks. */
export interface ExternalLogin extends GivenPassword {
  /**
   * Counts an attempt at the user with this name, before the password is checked.
   *
   * @throws {ServiceError} `too-many-requests`
   */
  readonly admit: (found: string) => void
}

interface Verifying extends GivenPassword {
  readonly authorization: string
}

interface Login extends Verifying {
  readonly address: string
}

/** A password that was right. */
interface GoodPassword {
  /** The hash that it fits; null for a user of elsewhere. */
  readonly stored: string | null
  readonly principal: Principal
  /** Until when it need not be compared again while the user has the same hash. */
  readonly until: number
}

/** A secret that the service has issued, as a request carries it. */
export interface IssuedSecret {
  readonly kind: IssuedCredential['kind']
  readonly secret: string
  /** The name that a caller gives with it; null for none. */
  readonly username: string | null
}

export interface CredentialCheckOptions {
  readonly users: () => Promise<UsersReading>
  /** Has the users read again where they have changed, and what is remembered of former ones forgotten. */
  readonly refreshUsers: () => Promise<void>
  readonly clock: Clock
  readonly wait: (milliseconds: number) => Promise<unknown>
  /** Compares a password without blocking the main thread. */
  readonly compare: (check: PasswordCheck) => Promise<boolean>
  /** The least cost of a comparison, whatever the users file contains. */
  readonly cost?: number | undefined
  /** Finds users of other sources than the users file, where there are any. */
  readonly findExternal?: ((login: ExternalLogin) => Promise<Principal | null>) | undefined
  /** Whether a user of another source is disabled here. */
  readonly isDisabled?: ((principal: Principal) => Promise<boolean>) | undefined
  /** Finds the user of a token or session; null when it is no longer valid. */
  readonly find: (issued: IssuedSecret) => Promise<Principal | null>
}

/**
 * Checks Basic credentials against the users file and then other sources, and tokens and sessions
 * against the issued ones.
 *
 * A verified credential is cached as a keyed hash, so that bcrypt runs once and not per request.
 * Failures are limited and delayed; credentials that were valid before are no guesses, so no limit
 * locks their user out.
 */
export class CredentialCheck {
  readonly #options: CredentialCheckOptions
  readonly #limits: LoginLimits
  readonly #key = randomBytes(32).toString('base64')
  readonly #verified = new Map<string, { readonly principal: Principal; readonly until: number }>()
  /** The credentials that were right at their last check, by their keyed hash. */
  readonly #good = new Map<string, GoodPassword>()
  readonly #underWay = new Map<string, Promise<Principal | null>>()
  /** Look-ups of accepted credentials for the calls in flight, and those that failed a moment ago. */
  readonly #lookUps = new Map<
    string,
    { readonly answer: Promise<Principal | null>; until: number }
  >()
  #compared = 0
  /** Incremented at each change of the users, and of issued credentials. */
  #edition = 0

  constructor(options: CredentialCheckOptions) {
    this.#options = { ...options, clock: steadyClock(options.clock) }
    this.#limits = new LoginLimits(options.clock)
  }

  /** The caller, if this header was verified recently: one keyed hash and one look-up. */
  remembered(authorization: string): Principal | null {
    const known = this.#verified.get(this.#keyed(authorization))
    return known && known.until > this.#options.clock() ? known.principal : null
  }

  /**
   * The caller that the header identifies with the right password, or null.
   *
   * @throws {ServiceError} `too-many-requests`, `unavailable` when the users file cannot be read.
   */
  async check(authorization: string | undefined, address: string): Promise<Principal | null> {
    if (authorization === undefined) return null
    const known = this.remembered(authorization)
    if (known) return known
    const issued = parseIssued(authorization)
    if (issued !== null) return this.#checkIssued(authorization, address, issued)
    const given = parseBasic(authorization)
    if (given === null) return null
    const key = `${this.#edition} ${address} ${this.#keyed(authorization)}`
    const attempt = this.#underWay.get(key) ?? this.#attempt({ authorization, address, ...given })
    this.#underWay.set(key, attempt)
    try {
      return await attempt
    } finally {
      this.#underWay.delete(key)
    }
  }

  /**
   * Checks credentials again that were accepted before; null when they are no longer valid. Nothing
   * here counts as a guess. For `recently`, what is remembered is enough; `now` looks at the users and at
   * what was issued.
   *
   * @throws {ServiceError} `too-many-requests`, `unavailable`: then nothing is known.
   */
  async recheck(authorization: string, seen: 'recently' | 'now'): Promise<Principal | null> {
    if (seen === 'now') await this.#options.refreshUsers()
    const known = this.remembered(authorization)
    if (known && (seen === 'recently' || known.credential === undefined)) return known
    return seen === 'now' ? this.#lookUp(authorization) : this.#lookUpOnce(authorization)
  }

  /** Forgets every verified credential: the users file has changed. */
  forget(): void {
    this.#edition += 1
    this.#verified.clear()
  }

  /** Forgets every verified token and session: some have ended. */
  forgetIssued(): void {
    this.#edition += 1
    for (const [key, { principal }] of this.#verified)
      if (principal.credential !== undefined) this.#verified.delete(key)
  }

  /** One look-up for all calls in flight with a credential, of which there may be hundreds. */
  #lookUpOnce(authorization: string): Promise<Principal | null> {
    const { clock } = this.#options
    const key = `${this.#edition} ${this.#keyed(authorization)}`
    const known = this.#lookUps.get(key)
    if (known !== undefined && known.until > clock()) return known.answer
    const lookUp = { answer: this.#lookUp(authorization), until: Infinity }
    if (this.#lookUps.size >= MAX_CACHED) this.#lookUps.clear()
    this.#lookUps.set(key, lookUp)
    lookUp.answer.then(
      () => this.#lookUps.delete(key),
      () => (lookUp.until = clock() + RETRY_INTERVAL_MS),
    )
    return lookUp.answer
  }

  async #lookUp(authorization: string): Promise<Principal | null> {
    const issued = parseIssued(authorization)
    if (issued !== null) return this.#findIssued(authorization, issued)
    const given = parseBasic(authorization)
    if (given === null) return null
    const login = { authorization, ...given }
    const { users } = await this.#options.users()
    const [, stored] = findUser(users, given.username) ?? []
    if (stored !== undefined && isDisabledUser(stored)) return null
    const unchanged = await this.#findUnchanged(login)
    if (unchanged !== null) return unchanged
    const good = this.#good.get(this.#keyed(authorization))
    const isOfElsewhere = good?.stored === null
    // Known here, whether or not the other source answers.
    if (isOfElsewhere && (await this.#options.isDisabled?.(good.principal)) === true) return null
    return this.#verify(login, MAX_CHECKS_WITH_GOOD)
  }

  /** A valid token is let in whatever was tried before: tokens cannot be guessed. */
  async #checkIssued(
    authorization: string,
    address: string,
    issued: IssuedSecret,
  ): Promise<Principal | null> {
    const principal = await this.#findIssued(authorization, issued)
    if (principal === null && issued.kind === 'token')
      await this.#options.wait(this.#limits.countToken(address))
    return principal
  }

  async #findIssued(authorization: string, issued: IssuedSecret): Promise<Principal | null> {
    const edition = this.#edition
    const isWellFormed = issued.kind === 'session' || isApiToken(issued.secret)
    const principal = isWellFormed ? await this.#options.find(issued) : null
    if (principal !== null && edition === this.#edition)
      this.#remember(
        this.#keyed(authorization),
        principal,
        this.#options.clock() + ISSUED_CACHED_MS,
      )
    return principal
  }

  async #attempt(login: Login): Promise<Principal | null> {
    const good = this.#good.get(this.#keyed(login.authorization))
    if (good !== undefined)
      return (
        (await this.#rememberUnchanged(login, good)) ?? this.#verify(login, MAX_CHECKS_WITH_GOOD)
      )
    this.#assertRoom(MAX_CHECKS)
    await this.#options.wait(this.#limits.begin(login))
    const places: LoginPlace[] = [login]
    let delay = 0
    /** Several names may find the same user of another source, whose limits they share. */
    const admit = (username: string) => {
      if (places.some((place) => isSameLogin(place.username, username))) return
      const place = { username, address: login.address }
      delay = this.#limits.begin(place)
      places.push(place)
    }
    try {
      const principal = await this.#verify(login, MAX_CHECKS, admit)
      // Not before: what is asked elsewhere waits for nobody.
      if (delay > 0) await this.#options.wait(delay)
      if (principal) for (const place of places) this.#limits.succeed(place)
      return principal
    } catch (error) {
      for (const place of places) this.#limits.abandon(place)
      throw error
    }
  }

  /** The user whose password was right within the last minute, after a change of other users only. */
  async #rememberUnchanged(login: Verifying, { until }: GoodPassword): Promise<Principal | null> {
    if (until <= this.#options.clock()) return null
    const edition = this.#edition
    const principal = await this.#findUnchanged(login)
    if (principal !== null && edition === this.#edition)
      this.#remember(this.#keyed(login.authorization), principal, until)
    return principal
  }

  /** The user whose password was right and who has the same one; null where it has to be compared. */
  async #findUnchanged({ authorization, username: given }: Verifying): Promise<Principal | null> {
    const reading = await this.#options.users()
    const [username, stored] = findUser(reading.users, given) ?? []
    const isUnchanged = this.#good.get(this.#keyed(authorization))?.stored === stored
    return username !== undefined && isUnchanged ? localPrincipal(reading, username) : null
  }

  async #verify(
    login: Verifying,
    atMost: number,
    admit: ExternalLogin['admit'] = () => {},
  ): Promise<Principal | null> {
    const edition = this.#edition
    const reading = await this.#options.users()
    const { users } = reading
    const [username, stored] = findUser(users, login.username) ?? [login.username, null]
    this.#assertRoom(atMost)
    const key = this.#keyed(login.authorization)
    const cost = costOfLogin(users.values(), this.#options.cost ?? PASSWORD_COST)
    const isOfElsewhere = stored === null && this.#good.get(key)?.stored === null
    const isRight =
      !isOfElsewhere && (await this.#compare({ password: login.password, stored, cost }))
    const known = isRight ? localPrincipal(reading, username) : null
    const principal = stored === null ? await this.#findExternal({ ...login, admit }) : known
    if (principal === null) this.#good.delete(key)
    else {
      const until = this.#options.clock() + PASSWORD_CACHED_MS
      if (edition === this.#edition) this.#remember(key, principal, until)
      // Also when the users have changed meanwhile: it is checked again, but it is no guess.
      this.#noteGood(key, { stored, principal, until })
    }
    return principal
  }

  /** A user of elsewhere; a name of the users file belongs to the user there, whatever else was given. */
  async #findExternal({ username, password, admit }: ExternalLogin): Promise<Principal | null> {
    const { findExternal, users } = this.#options
    const principal = (await findExternal?.({ username, password, admit })) ?? null
    if (principal === null) return null
    return findUser((await users()).users, principal.username) === null ? principal : null
  }

  async #compare(check: PasswordCheck): Promise<boolean> {
    this.#compared += 1
    try {
      return await this.#options.compare(check)
    } finally {
      this.#compared -= 1
    }
  }

  /** @throws {ServiceError} `too-many-requests` */
  #assertRoom(atMost: number): void {
    if (this.#compared >= atMost) throw tooMany('logins are under way', RETRY_AFTER_MS)
  }

  #keyed(authorization: string): string {
    return hash('sha256', this.#key + authorization, 'base64')
  }

  #noteGood(key: string, good: GoodPassword): void {
    if (this.#good.size >= MAX_CACHED) this.#good.clear()
    this.#good.set(key, good)
  }

  #remember(key: string, principal: Principal, until: number): void {
    if (this.#verified.size >= MAX_CACHED) this.#verified.clear()
    this.#verified.set(key, { principal, until })
  }
}

/** A prefix that no header has: marks a request that shows a cookie and no credentials. */
const SESSION = '\0session '

/** A session as one credential among the others. */
export function authorizationOf(session: string): string {
  return `${SESSION}${session}`
}

function parseIssued(authorization: string): IssuedSecret | null {
  if (authorization.startsWith(SESSION)) {
    return { kind: 'session', secret: authorization.slice(SESSION.length), username: null }
  }
  const bearer = /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? ''
  if (meansApiToken(bearer)) return { kind: 'token', secret: bearer, username: null }
  const { username = '', password = '' } = parseBasic(authorization) ?? {}
  return meansApiToken(password) ? { kind: 'token', secret: password, username } : null
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
