import { describeFault } from '../core/faults.ts'
import { isDisabledUser, readUsers, type UsersReading, type UsersStore } from './users.ts'

export interface UsersWatchOptions {
  readonly store: UsersStore
  /** A value that changes whenever users of other sources do. */
  readonly stampOfOthers?: () => Promise<string>
  /** The polling interval where the store cannot be watched, in milliseconds. */
  readonly interval: number
  readonly changed: () => void
}

/**
 * The current users. A change is seen at once where the store can tell, and within the
 * interval everywhere; it invalidates all caches of the old content.
 */
export class UsersWatch implements Disposable {
  readonly #store: UsersStore
  readonly #stamps: () => Promise<string>
  readonly #changed: () => void
  readonly #watcher: Disposable
  readonly #timer: NodeJS.Timeout
  #reading: Promise<UsersReading>
  #names: readonly string[]
  #stamp: string
  #problem: string | null = null
  /** Resolves when the listener has heard of the newest reading. */
  #known: Promise<void> = Promise.resolve()

  private constructor(options: UsersWatchOptions, stamp: string, reading: UsersReading) {
    this.#store = options.store
    this.#stamps = () => stampsOf(options)
    this.#changed = options.changed
    this.#stamp = stamp
    this.#reading = Promise.resolve(reading)
    this.#names = namesOf(reading)
    this.#watcher = this.#store.watch(() => this.#reload())
    this.#timer = setInterval(() => {
      this.#look().catch(() => undefined)
    }, options.interval).unref()
  }

  /** @throws {ServiceError} `unavailable` when the users cannot be read. */
  static async open(options: UsersWatchOptions): Promise<UsersWatch> {
    const stamp = await stampsOf(options)
    return new UsersWatch(options, stamp, await readUsers(options.store))
  }

  /** The names of the users who can log in, as last read. */
  names(): readonly string[] {
    return this.#names
  }

  /** Why the users cannot be read now, as a sentence; null when they can. */
  problem(): string | null {
    return this.#problem
  }

  read(): Promise<UsersReading> {
    return this.#reading
  }

  /** Reads the users again where they have changed; cached facts about former ones are invalid when it returns. */
  async refresh(): Promise<void> {
    await this.#look()
    await this.#known
  }

  /** Reads the users again; cached facts about them are invalid when it returns. */
  async reload(): Promise<void> {
    this.#reload()
    await this.#known
  }

  [Symbol.dispose](): void {
    this.#watcher[Symbol.dispose]()
    clearInterval(this.#timer)
  }

  /** A store that is away is retried; meanwhile users with cached credentials can log in. */
  async #look(): Promise<void> {
    const stamp = await this.#stamps().catch(() => this.#stamp)
    if (stamp === this.#stamp) return
    this.#stamp = stamp
    this.#reload()
  }

  #reload(): void {
    const reading = readUsers(this.#store)
    this.#reading = reading
    this.#known = reading.then(
      (read) => {
        this.#names = namesOf(read)
        this.#problem = null
        this.#changed()
      },
      (error: unknown) => {
        this.#problem = describeFault(error)
        this.#stamp = ''
        this.#changed()
      },
    )
  }
}

async function stampsOf({ store, stampOfOthers }: UsersWatchOptions): Promise<string> {
  return `${await store.stamp()} ${(await stampOfOthers?.()) ?? ''}`
}

function namesOf({ users }: UsersReading): string[] {
  return Array.from(users)
    .filter(([, stored]) => !isDisabledUser(stored))
    .map(([name]) => name)
}
