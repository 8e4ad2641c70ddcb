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
  readonly #limit: number
  readonly #entries = new Map<string, CachedResponse>()
  readonly #askedOnce = new Set<string>()
  readonly #making = new Map<string, Promise<CachedResponse>>()
  /** The key that was used last, which needs no new place. */
  #newest: string | null = null
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** The cached answer for the key, if there is one. */
  find(key: string): CachedResponse | null {
    const cached = this.#entries.get(key)
    return cached ? this.#touch(key, cached) : null
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
      this.#keep(key, body)
      return body
    } finally {
      this.#making.delete(key)
    }
  }

  #isAskedAgain(key: string): boolean {
    if (this.#askedOnce.delete(key)) return true
    const [oldest] = this.#askedOnce
    if (this.#askedOnce.size >= MAX_KEYS && oldest !== undefined) this.#askedOnce.delete(oldest)
    this.#askedOnce.add(key)
    return false
  }

  #touch(key: string, body: CachedResponse): CachedResponse {
    if (key === this.#newest) return body
    this.#entries.delete(key)
    this.#entries.set(key, body)
    this.#newest = key
    return body
  }

  #keep(key: string, body: CachedResponse): void {
    this.#entries.set(key, body)
    this.#newest = key
    this.#size += body.size + OVERHEAD
    for (const [oldest, { size }] of this.#entries) {
      if (this.#size <= this.#limit || oldest === key) return
      this.#entries.delete(oldest)
      this.#size -= size + OVERHEAD
    }
  }
}
