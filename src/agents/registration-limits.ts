import type { Clock } from '../lib/clock.ts'
import { ServiceError } from '../core/errors.ts'
import { networkOf, RateLimit, siteOf, tooMany } from '../core/service/rate-limit.ts'
import { meansInvitation } from '../security/issued-secret.ts'
import type { AgentDirectory } from './agent-directory.ts'
import { isApproved, type KnownAgent } from './known-agent.ts'
import { hashSecret, type KeyVerdict } from './secrets.ts'

/** The limits of machines that wait for approval: in total, and of one site. */
const MAX_WAITING = 1_000
const MAX_WAITING_OF_SITE = 100
/** Silence after which a waiting machine may be replaced by another, in milliseconds. */
const SILENT_AFTER_MS = 15_000
/** The `Retry-After` of a refused machine, in seconds. */
const RETRY_AFTER_SECONDS = 60
/** The limit of remembered wrong keys: repeating one is not a new guess. */
const MAX_WRONG_KEYS = 10_000

export interface RegistrationLimitsOptions {
  readonly directory: AgentDirectory
  readonly clock: Clock
  readonly judgeKey: (key: string) => KeyVerdict
}

/** A key that was tried. Whether an invitation is good depends on the machine. */
interface Guess {
  readonly key: string
  readonly address: string
  readonly claimHash?: string
}

/**
 * Limits the cost of unknown machines: the rate of registrations, the number that wait for
 * approval, and the keys that they try. Approved machines, and those with the key, are not counted.
 */
export class RegistrationLimits {
  readonly #options: RegistrationLimitsOptions
  readonly #ofSites: RateLimit
  readonly #ofAll: RateLimit
  readonly #guesses: RateLimit
  readonly #wrong = new Set<string>()

  constructor(options: RegistrationLimitsOptions) {
    const { clock } = options
    this.#options = options
    this.#ofSites = new RateLimit({ clock, burst: 120, every: 1_000 })
    this.#ofAll = new RateLimit({ clock, burst: 1_000, every: 100 })
    this.#guesses = new RateLimit({ clock, burst: 10, every: 30_000 })
  }

  /**
   * Whether this is the registration key; false when this server has none.
   *
   * @throws {ServiceError} `key-refused` for a wrong one, `too-many-requests` after many of them.
   */
  admits(key: string, address: string): boolean {
    const guess = { key, address }
    this.#assertMayGuess(guess)
    const verdict = this.#options.judgeKey(key)
    if (verdict !== 'wrong') return verdict === 'right'
    this.#countWrong(guess)
    throw keyRefused(key)
  }

  /**
   * The names that an invitation grants to a machine, by `find`. An invalid one counts as a wrong
   * key.
   *
   * @throws {ServiceError} `key-refused`, `too-many-requests`.
   */
  async admitInvited<Names>(
    invitation: string,
    { address, claimHash }: { readonly address: string; readonly claimHash: string },
    find: () => Promise<Names | null>,
  ): Promise<Names> {
    const guess = { key: invitation, address, claimHash }
    this.#assertMayGuess(guess)
    const names = await find()
    if (names !== null) return names
    this.#countWrong(guess)
    throw keyRefused(invitation)
  }

  /** @throws {ServiceError} `too-many-requests` when machines register too often. */
  countRegistration(address: string): void {
    const wait = this.#ofSites.take(siteOf(address)) || this.#ofAll.take('')
    if (wait > 0) throw tooMany('agents have registered', wait)
  }

  /**
   * Makes room for one more waiting machine by dropping the one that has been silent for longest.
   *
   * @throws {ServiceError} `too-many-requests` when no waiting machine is silent.
   */
  async makeRoom(address: string): Promise<void> {
    const site = siteOf(address)
    const waiting = this.#options.directory
      .list()
      .filter((agent) => agent.record !== null && !isApproved(agent))
    const neighbours = waiting.filter(({ heard }) => siteOf(heard?.address ?? '') === site)
    if (neighbours.length >= MAX_WAITING_OF_SITE) return this.#dropSilent(neighbours)
    if (waiting.length >= MAX_WAITING) return this.#dropSilent(waiting)
  }

  #assertMayGuess(guess: Guess): void {
    if (this.#wrong.has(nameOf(guess))) throw keyRefused(guess.key)
    const wait = this.#guesses.wait(networkOf(guess.address))
    if (wait > 0) throw tooMany('wrong keys were tried', wait)
  }

  #countWrong(guess: Guess): void {
    this.#guesses.take(networkOf(guess.address))
    if (this.#wrong.size >= MAX_WRONG_KEYS) this.#wrong.clear()
    this.#wrong.add(nameOf(guess))
  }

  async #dropSilent(agents: readonly KnownAgent[]): Promise<void> {
    const { directory } = this.#options
    const [oldest] = agents
      .filter((agent) => directory.silenceOf(agent) >= SILENT_AFTER_MS)
      .toSorted((one, other) => directory.silenceOf(other) - directory.silenceOf(one))
    if (!oldest) throw tooMany('agents wait for approval', RETRY_AFTER_SECONDS * 1_000)
    await directory.forget(oldest.uuid)
  }
}

function nameOf({ key, address, claimHash = '' }: Guess): string {
  return hashSecret([networkOf(address), claimHash, key].join(' '))
}

/** The error for a wrong key, and for an invitation that is not good. */
export function keyRefused(key: string): ServiceError {
  const message = meansInvitation(key)
    ? 'The invitation is used, expired, revoked, or was never created'
    : 'The key to register with is wrong'
  return new ServiceError('key-refused', message, { key: 'wrong' })
}
