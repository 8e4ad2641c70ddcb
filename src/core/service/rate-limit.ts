import { isIPv6 } from 'node:net'
import { type Clock, steadyClock } from '../../lib/clock.ts'
import { ServiceError } from '../errors.ts'

export interface RateLimitOptions {
  readonly clock: Clock
  /** The number of actions that are possible at once. */
  readonly burst: number
  /** The milliseconds after which one more is possible. */
  readonly every: number
}

/** The limit of tracked callers. */
const MAX_KEYS = 10_000
/** The number of callers that are forgotten at once to make room. */
const FORGOTTEN_TOGETHER = MAX_KEYS / 10

/**
 * Limits the rate of each caller: a burst, and then one action per interval. Above the limit of
 * tracked callers, those with the fewest actions are forgotten first. So invented callers can
 * neither use up the actions of others nor reset a caller that is at its limit.
 */
export class RateLimit {
  readonly #options: RateLimitOptions
  /** When the burst of each caller is fully restored. */
  readonly #fullAt = new Map<string, number>()

  constructor(options: RateLimitOptions) {
    this.#options = { ...options, clock: steadyClock(options.clock) }
  }

  /** Milliseconds until the caller may act again; 0 when it may now. */
  wait(caller: string): number {
    const { clock, burst, every } = this.#options
    const fullAt = this.#fullAt.get(caller) ?? 0
    return Math.max(0, fullAt - clock() - (burst - 1) * every)
  }

  /** Counts an action of the caller if it is permitted; returns the same as `wait`. */
  take(caller: string): number {
    const wait = this.wait(caller)
    if (wait > 0) return wait
    const { clock, every } = this.#options
    if (!this.#fullAt.has(caller)) this.#makeRoom()
    this.#fullAt.set(caller, Math.max(this.#fullAt.get(caller) ?? 0, clock()) + every)
    return 0
  }

  /** The number of actions that are not restored yet. */
  used(caller: string): number {
    const { clock, every } = this.#options
    const fullAt = this.#fullAt.get(caller) ?? 0
    return Math.max(0, Math.ceil((fullAt - clock()) / every))
  }

  /** Takes back one counted action of the caller. */
  release(caller: string): void {
    const fullAt = this.#fullAt.get(caller)
    if (fullAt !== undefined) this.#fullAt.set(caller, fullAt - this.#options.every)
  }

  /** Restores the full burst of the caller. */
  forget(caller: string): void {
    this.#fullAt.delete(caller)
  }

  #makeRoom(): void {
    if (this.#fullAt.size < MAX_KEYS) return
    const soonest = [...this.#fullAt].toSorted(([, one], [, other]) => one - other)
    for (const [caller] of soonest.slice(0, FORGOTTEN_TOGETHER)) this.#fullAt.delete(caller)
  }
}

/** The error for a caller that has to wait, in milliseconds. */
export function tooMany(what: string, wait: number): ServiceError<'too-many-requests'> {
  const retryAfter = Math.ceil(wait / 1_000)
  const message = `Too many ${what}; try again in ${retryAfter} s`
  return new ServiceError('too-many-requests', message, { retryAfter })
}

/** The owner of an address: itself, or for IPv6 the network of 64 bits that one customer gets. */
export function networkOf(address: string): string {
  return prefixOf(address, 64)
}

/** The site of an address: itself, or for IPv6 the 48 bits that hold the networks of one customer. */
export function siteOf(address: string): string {
  return prefixOf(address, 48)
}

/** The IPv4 address of an IPv4-mapped IPv6 address; others stay unchanged. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

function prefixOf(address: string, bits: 48 | 64): string {
  const plain = plainAddress(address)
  if (!isIPv6(plain)) return plain
  const [head = '', tail = ''] = plain.split('%', 1)[0]?.split('::') ?? []
  const [first, last] = [head, tail].map((part) => (part === '' ? [] : part.split(':')))
  const zeros = plain.includes('::') ? 8 - (first?.length ?? 0) - (last?.length ?? 0) : 0
  const groups = [...(first ?? []), ...Array<string>(Math.max(0, zeros)).fill('0'), ...(last ?? [])]
  const prefix = groups.slice(0, bits / 16).map((group) => Number.parseInt(group, 16).toString(16))
  return `${prefix.join(':')}::/${bits}`
}
