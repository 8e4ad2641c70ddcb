import { LRUCache } from 'lru-cache'
import type { CachedResponse } from './cached-response.ts'

/** The bytes that a cached answer takes besides its body, so that many small ones count too. */
const OVERHEAD = 2_048
/** The limit of remembered keys that were requested once. */
const MAX_KEYS = 10_000

/** Whether an answer is cached at its first request, or at the second one. */
export type KeepWhen = 'at-once' | 'asked-again'

/**
 * Answers cached by key up to a number of bytes; the least recently used go first. Concurrent
 * requests for a key share one rendering.
 */
export class ResponseCache {
  readonly #entries: LRUCache<string, CachedResponse>
  readonly #askedOnce = new LRUCache<string, true>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 })
  readonly #making = new Map<string, Promise<CachedResponse>>()

  constructor(limit: number) {
    // An answer above the limit is cached alone.
    const sizeCalculation = ({ size }: CachedResponse) => Math.min(size + OVERHEAD, limit)
    this.#entries = new LRUCache({ maxSize: limit, sizeCalculation })
  }

  /** The cached answer for the key, if there is one. */
  find(key: string): CachedResponse | null {
    return this.#entries.get(key) ?? null
  }

  /**
   * The answer for the key: cached, in the making, or made now.
   *
   * Answers that are requested only once are not worth caching: objects that live for a while and
   * are then dropped cost the garbage collector far more than short-lived ones, all the more with a
   * long history.
   */
  take(
    key: string,
    make: () => Promise<CachedResponse>,
    when: KeepWhen = 'at-once',
  ): CachedResponse | Promise<CachedResponse> {
    const cached = this.find(key)
    if (cached) return cached
    const making = this.#making.get(key)
    if (making) return making
    if (when === 'asked-again' && !this.#isAskedAgain(key)) return make()
    const made = this.#make(key, make)
    this.#making.set(key, made)
    return made
  }

  async #make(key: string, make: () => Promise<CachedResponse>): Promise<CachedResponse> {
    try {
      const body = await make()
      this.#entries.set(key, body)
      return body
    } finally {
      this.#making.delete(key)
    }
  }

  #isAskedAgain(key: string): boolean {
    if (this.#askedOnce.delete(key)) return true
    this.#askedOnce.set(key, true)
    return false
  }
}
