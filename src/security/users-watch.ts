import { watch, type FSWatcher } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { readUsersFile, type UsersReading } from './users-file.ts'

export interface UsersWatchOptions {
  readonly file: string
  /** The polling interval where the folder cannot be watched, in milliseconds. */
  readonly interval: number
  readonly changed: () => void
}

/**
 * The current users file. A change is seen at once where the folder can be watched, and within the
 * interval everywhere; it invalidates all caches of the old content.
 */
export class UsersWatch implements Disposable {
  readonly #file: string
  readonly #changed: () => void
  readonly #watcher: FSWatcher
  readonly #timer: NodeJS.Timeout
  #reading: Promise<UsersReading>
  #names: readonly string[]
  #stamp: string

  private constructor(options: UsersWatchOptions, stamp: string, reading: UsersReading) {
    this.#file = options.file
    this.#changed = options.changed
    this.#stamp = stamp
    this.#reading = Promise.resolve(reading)
    this.#names = [...reading.users.keys()]
    const name = basename(this.#file)
    this.#watcher = watch(dirname(this.#file), { persistent: false }, (_event, file) => {
      if (file === null || file === name) this.#reload()
    })
    this.#watcher.on('error', () => this.#watcher.close())
    this.#timer = setInterval(() => this.#poll(), options.interval).unref()
  }

  /** @throws {ServiceError} `unavailable` when the file cannot be read. */
  static async open(options: UsersWatchOptions): Promise<UsersWatch> {
    const stamp = await stampOf(options.file)
    return new UsersWatch(options, stamp, await readUsersFile(options.file))
  }

  /** The names of the users, as last read. */
  names(): readonly string[] {
    return this.#names
  }

  read(): Promise<UsersReading> {
    return this.#reading
  }

  [Symbol.dispose](): void {
    this.#watcher.close()
    clearInterval(this.#timer)
  }

  #poll(): void {
    stampOf(this.#file).then(
      (stamp) => {
        if (stamp === this.#stamp) return
        this.#stamp = stamp
        this.#reload()
      },
      () => this.#reload(),
    )
  }

  #reload(): void {
    const reading = readUsersFile(this.#file)
    this.#reading = reading
    reading.then(
      ({ users }) => {
        this.#names = [...users.keys()]
        this.#changed()
      },
      () => this.#changed(),
    )
  }
}

async function stampOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(file, { bigint: true })
    return `${ino} ${size} ${mtimeNs}`
  } catch (error) {
    if (error instanceof Error) return error.message
    throw error
  }
}
