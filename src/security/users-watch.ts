import { watch, type FSWatcher } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { readUsersFile, type UsersReading } from './users-file.ts'

/**
 * The users file as it is now. A change of the file is seen at once where the folder can be
 * watched, and within the interval everywhere; what was remembered of the old one is dropped.
 */
export class UsersWatch implements Disposable {
  readonly #file: string
  readonly #changed: () => void
  readonly #watcher: FSWatcher
  readonly #timer: NodeJS.Timeout
  #reading: Promise<UsersReading>
  #stamp = ''

  constructor(options: { file: string; interval: number; changed: () => void }) {
    this.#file = options.file
    this.#changed = options.changed
    this.#reading = readUsersFile(this.#file)
    const name = basename(this.#file)
    this.#watcher = watch(dirname(this.#file), { persistent: false }, (_event, file) => {
      if (file === null || file === name) this.#reload()
    })
    this.#watcher.on('error', () => this.#watcher.close())
    this.#timer = setInterval(() => void this.#poll(), options.interval).unref()
  }

  read(): Promise<UsersReading> {
    return this.#reading
  }

  [Symbol.dispose](): void {
    this.#watcher.close()
    clearInterval(this.#timer)
  }

  async #poll(): Promise<void> {
    const stamp = await stampOf(this.#file)
    if (stamp === this.#stamp) return
    this.#stamp = stamp
    this.#reload()
  }

  #reload(): void {
    const reading = readUsersFile(this.#file)
    reading.catch(() => undefined)
    this.#reading = reading
    this.#changed()
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
