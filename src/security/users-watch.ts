import { isDeepStrictEqual } from 'node:util'
import { describeFault } from '../core/faults.ts'
import { isDisabledUser, parseUsers, type UsersReading, type UsersStore } from './users.ts'

export interface UsersWatchOptions {
  readonly store: UsersStore
  /** A value that changes whenever users of other sources do. */
  readonly stampOfOthers?: () => Promise<string>
  /** The polling interval where the store cannot be watched, in milliseconds. */
  readonly interval: number
  readonly changed: () => void
}

/** Values that are others after a change. */
interface Stamps {
  readonly users: string
  readonly others: string
}

/** The text of the users file, and what it says. */
interface ReadText {
  readonly text: string
  readonly reading: UsersReading
}

const UNKNOWN: Stamps = { users: '', others: '' }

/**
 * The current users. A change is seen at once where the store can tell, and within the
 * interval everywhere; it invalidates all caches of the old content.
 */
export class UsersWatch implements Disposable {
  readonly #store: UsersStore
  readonly #readStamps: () => Promise<Stamps>
  readonly #changed: () => void
  readonly #watcher: Disposable
  readonly #timer: NodeJS.Timeout
  #read: ReadText
  #reading: Promise<UsersReading>
  /** The reading that the listener heard of last; null when there was none. */
  #told: UsersReading | null
  #names: readonly string[]
  #stamps: Stamps
  #problem: string | null = null
  /** Resolves when the listener has heard of the newest reading. */
  #known: Promise<void> = Promise.resolve()

  private constructor(options: UsersWatchOptions, stamps: Stamps, read: ReadText) {
    const { reading } = read
    this.#store = options.store
    this.#readStamps = () => readStamps(options)
    this.#changed = options.changed
    this.#stamps = stamps
    this.#read = read
    this.#reading = Promise.resolve(reading)
    this.#told = reading
    this.#names = namesOf(reading)
    this.#watcher = this.#store.watch(() => this.#reload({ areOthersElse: false }))
    this.#timer = setInterval(() => {
      this.#look().catch(() => undefined)
    }, options.interval).unref()
  }

  /** @throws {ServiceError} `unavailable` when the users cannot be read. */
  static async open(options: UsersWatchOptions): Promise<UsersWatch> {
    const stamps = await readStamps(options)
    const text = await options.store.text()
    return new UsersWatch(options, stamps, { text, reading: parseUsers(text) })
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
    this.#reload({ areOthersElse: true })
    await this.#known
  }

  [Symbol.dispose](): void {
    this.#watcher[Symbol.dispose]()
    clearInterval(this.#timer)
  }

  /** A store that is away is retried; meanwhile users with cached credentials can log in. */
  async #look(): Promise<void> {
    const before = this.#stamps
    const now = await this.#readStamps().catch(() => before)
    if (isDeepStrictEqual(now, before)) return
    this.#stamps = now
    this.#reload({ areOthersElse: now.others !== before.others })
  }

  /** Reads the users again; the same text, which may have thousands of lines, is not parsed twice. */
  async #readAgain(): Promise<UsersReading> {
    const text = await this.#store.text()
    if (text !== this.#read.text) this.#read = { text, reading: parseUsers(text) }
    return this.#read.reading
  }

  /** A change is seen twice, by the watch and by a look: what is as the listener knows it is not told again. */
  #reload({ areOthersElse }: { readonly areOthersElse: boolean }): void {
    const reading = this.#readAgain()
    this.#reading = reading
    this.#known = reading.then(
      (read) => {
        const isKnown = !areOthersElse && isDeepStrictEqual(read, this.#told)
        this.#told = read
        this.#names = namesOf(read)
        this.#problem = null
        if (!isKnown) this.#changed()
      },
      (error: unknown) => {
        this.#told = null
        this.#problem = describeFault(error)
        this.#stamps = UNKNOWN
        this.#changed()
      },
    )
  }
}

async function readStamps({ store, stampOfOthers }: UsersWatchOptions): Promise<Stamps> {
  return { users: await store.stamp(), others: (await stampOfOthers?.()) ?? '' }
}

function namesOf({ users }: UsersReading): string[] {
  return Array.from(users)
    .filter(([, stored]) => !isDisabledUser(stored))
    .map(([name]) => name)
}
