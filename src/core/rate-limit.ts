import { isIPv6 } from 'node:net'
import type { Clock } from '../lib/clock.ts'
import { ServiceError } from './errors.ts'

export interface RateLimitOptions {
  readonly clock: Clock
  /** How often at once. */
  readonly burst: number
  /** After how many milliseconds once more. */
  readonly every: number
}

/** So many callers are told apart; more share one count, so that inventing callers gains nothing. */
const KEYS_AT_MOST = 10_000
const OTHERS = ''

/** How often each of many callers may do something: some times at once, and then now and then. */
export class RateLimit {
  readonly #options: RateLimitOptions
  /** When each caller that is known will have all its times again. */
  readonly #fullAt = new Map<string, number>()

  constructor(options: RateLimitOptions) {
    this.#options = options
  }

  /** Milliseconds until the caller may do it again; 0 when it may now. */
  wait(caller: string): number {
    const { clock, burst, every } = this.#options
    const fullAt = this.#fullAt.get(this.#keyOf(caller)) ?? 0
    return Math.max(0, fullAt - clock() - (burst - 1) * every)
  }

  /** Counts that the caller does it, when it may; answers as `wait` does. */
  take(caller: string): number {
    const wait = this.wait(caller)
    if (wait > 0) return wait
    const { clock, every } = this.#options
    const key = this.#keyOf(caller)
    this.#fullAt.set(key, Math.max(this.#fullAt.get(key) ?? 0, clock()) + every)
    return 0
  }

  /** How many of its times the caller does not have again yet. */
  used(caller: string): number {
    const { clock, every } = this.#options
    const fullAt = this.#fullAt.get(this.#keyOf(caller)) ?? 0
    return Math.max(0, Math.ceil((fullAt - clock()) / every))
  }

  /** Takes one time of the caller back. */
  giveBack(caller: string): void {
    const key = this.#keyOf(caller)
    const fullAt = this.#fullAt.get(key)
    if (fullAt !== undefined) this.#fullAt.set(key, fullAt - this.#options.every)
  }

  /** The caller has all its times again; one that shares a count with others leaves it to them. */
  forget(caller: string): void {
    this.#fullAt.delete(caller)
  }

  #keyOf(caller: string): string {
    if (this.#fullAt.has(caller) || this.#fullAt.size < KEYS_AT_MOST) return caller
    const now = this.#options.clock()
    for (const [key, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(key)
    return this.#fullAt.size < KEYS_AT_MOST ? caller : OTHERS
  }
}

/** The refusal of a caller who has to wait, in milliseconds. */
export function tooMany(what: string, wait: number): ServiceError<'too-many-requests'> {
  const retryAfter = Math.ceil(wait / 1_000)
  const message = `Too many ${what}; try again in ${retryAfter} s`
  return new ServiceError('too-many-requests', message, { retryAfter })
}

/** Whom an address belongs to: itself, or of IPv6 the network of 64 bits that one customer gets. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail = ''] = plain.split('%', 1)[0]?.split('::') ?? []
  const [first, last] = [head, tail].map((part) => (part === '' ? [] : part.split(':')))
  const zeros = plain.includes('::') ? 8 - (first?.length ?? 0) - (last?.length ?? 0) : 0
  const groups = [...(first ?? []), ...Array<string>(Math.max(0, zeros)).fill('0'), ...(last ?? [])]
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
