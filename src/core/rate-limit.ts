import { isIPv6 } from 'node:net'
import type { Clock } from '../lib/clock.ts'
import { ServiceError } from './errors.ts'

export interface RateLimitOptions {
  readonly clock: Clock
  /** The number of actions that are possible at once. */
  readonly burst: number
  /** The milliseconds after which one more is possible. */
  readonly every: number
}

/**
 * The limit of separate callers; further ones share one count, so that inventing callers gains
 * nothing.
 */
const KEYS_AT_MOST = 10_000
const OTHERS = ''

/** Limits how often each of many callers may act: a burst, and then one action per interval. */
export class RateLimit {
  readonly #options: RateLimitOptions
  /** When the burst of each known caller is fully restored. */
  readonly #fullAt = new Map<string, number>()

  constructor(options: RateLimitOptions) {
    this.#options = options
  }

  /** Milliseconds until the caller may act again; 0 when it may now. */
  wait(caller: string): number {
    const { clock, burst, every } = this.#options
    const fullAt = this.#fullAt.get(this.#keyOf(caller)) ?? 0
    return Math.max(0, fullAt - clock() - (burst - 1) * every)
  }

  /** Counts an action of the caller if it is permitted; returns the same as `wait`. */
  take(caller: string): number {
    const wait = this.wait(caller)
    if (wait > 0) return wait
    const { clock, every } = this.#options
    const key = this.#keyOf(caller)
    this.#fullAt.set(key, Math.max(this.#fullAt.get(key) ?? 0, clock()) + every)
    return 0
  }

  /** The number of actions that are not restored yet. */
  used(caller: string): number {
    const { clock, every } = this.#options
    const fullAt = this.#fullAt.get(this.#keyOf(caller)) ?? 0
    return Math.max(0, Math.ceil((fullAt - clock()) / every))
  }

  /** Takes back one counted action of the caller. */
  release(caller: string): void {
    const key = this.#keyOf(caller)
    const fullAt = this.#fullAt.get(key)
    if (fullAt !== undefined) this.#fullAt.set(key, fullAt - this.#options.every)
  }

  /** Restores the full burst of the caller, unless it shares its count with others. */
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

/** The error for a caller who has to wait, in milliseconds. */
export function tooMany(what: string, wait: number): ServiceError<'too-many-requests'> {
  const retryAfter = Math.ceil(wait / 1_000)
  const message = `Too many ${what}; try again in ${retryAfter} s`
  return new ServiceError('too-many-requests', message, { retryAfter })
}

/** The owner of an address: itself, or for IPv6 the network of 64 bits that one customer gets. */
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
