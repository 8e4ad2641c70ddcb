import { EncryptJWT, errors, jwtDecrypt } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Clock } from '../../lib/clock.ts'

/** The state of a log-in between its begin and the answer of the provider. */
export const LoginAttempt = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Where the log-in leads. */
  next: z.string(),
})
export type LoginAttempt = Readonly<z.infer<typeof LoginAttempt>>

/** The time for the user at the provider, in milliseconds. */
const LIFETIME_MS = 10 * 60_000
const MAX_USED = 10_000
const SEALED = { alg: 'dir', enc: 'A256GCM' } as const

/**
 * Stores pending log-ins in the browsers that began them, sealed, so that any server with the same
 * key can complete them and no store can be filled up. Each can be completed once.
 */
export class LoginAttempts {
  readonly #key: Uint8Array
  readonly #clock: Clock
  readonly #used: LRUCache<string, true>

  /** @param key 32 bytes that seal nothing else. */
  constructor(key: Uint8Array, clock: Clock) {
    this.#key = key
    this.#clock = clock
    this.#used = new LRUCache({ max: MAX_USED })
  }

  seal(attempt: LoginAttempt): Promise<string> {
    return new EncryptJWT({ ...attempt })
      .setProtectedHeader(SEALED)
      .setExpirationTime(new Date(this.#clock() + LIFETIME_MS))
      .encrypt(this.#key)
  }

  /** Whether a sealed log-in can be completed: it is neither over nor completed. */
  async isPending(sealed: string): Promise<boolean> {
    const attempt = await this.#open(sealed)
    return attempt !== null && !this.#used.has(attempt.state)
  }

  /**
   * The log-in that was sealed, when this is the first time that it is used; null otherwise. One with
   * another state stays as it is: the browser began it in another tab, and the answer to it may come yet.
   */
  async use(sealed: string, state: string | null): Promise<LoginAttempt | 'another' | null> {
    const attempt = await this.#open(sealed)
    if (attempt === null || this.#used.has(attempt.state)) return null
    if (attempt.state !== state) return 'another'
    this.#used.set(attempt.state, true)
    return attempt
  }

  async #open(sealed: string): Promise<LoginAttempt | null> {
    try {
      const { payload } = await jwtDecrypt(sealed, this.#key, {
        currentDate: new Date(this.#clock()),
        keyManagementAlgorithms: [SEALED.alg],
        contentEncryptionAlgorithms: [SEALED.enc],
      })
      return LoginAttempt.parse(payload)
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }
}
