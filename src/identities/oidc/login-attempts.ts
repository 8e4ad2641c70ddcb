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

  /** The log-in that was sealed, when this is the first time that it is used; null otherwise. */
  async use(sealed: string): Promise<LoginAttempt | null> {
    const attempt = await this.#open(sealed)
    if (attempt === null || this.#used.has(attempt.state)) return null
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
