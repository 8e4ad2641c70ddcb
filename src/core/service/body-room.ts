import { ServiceError } from '../errors.ts'

/** The limit of all large bodies together, unless a single one may be larger. */
const ROOM_BYTES = 256 * 1_024 * 1_024
const RETRY_AFTER_SECONDS = 5
const REASON = 'The service has no memory for another large request'

/**
 * The memory for large bodies of requests that are not answered yet: a hundred clients that save a
 * large document at once must not take all that the machine has.
 */
export class BodyRoom {
  #free: number

  /** @param largest how large one body may be, in bytes. */
  constructor(largest: number) {
    this.#free = Math.max(ROOM_BYTES, largest)
  }

  /** @throws {ServiceError} `unavailable` while others take the room. */
  take(bytes: number): void {
    if (bytes > this.#free) {
      const facts = { reason: REASON, retryAfter: RETRY_AFTER_SECONDS }
      throw new ServiceError('unavailable', `${REASON}: try again in a few seconds`, facts)
    }
    this.#free -= bytes
  }

  release(bytes: number): void {
    this.#free += bytes
  }
}
