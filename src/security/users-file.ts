import { statSync, watch } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { reasonOf, ServiceError, unavailable } from '../core/errors.ts'
import { describeFault } from '../core/faults.ts'
import { replaceFile } from '../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import { openProcessLock, type ProcessLock } from '../storage/process-lock.ts'
import type { UsersStore } from './users.ts'

/** The time that a change waits for a concurrent one, in milliseconds. */
const LOCK_TIMEOUT_MS = 30_000
const POLL_INTERVAL_MS = 20

/** Users in a file, which an operator may also write. */
export class UsersFile implements UsersStore {
  readonly #file: string
  /** Whether the file was there once: later it is missing, and not one that nobody has made yet. */
  #wasThere = false

  constructor(file: string) {
    this.#file = file
  }

  async text(): Promise<string> {
    try {
      const text = await orNullWhenAbsent(readFile(this.#file, 'utf8'))
      this.#wasThere ||= text !== null
      // Editors of Windows put a mark before the first name.
      if (text !== null || !this.#wasThere) return text?.replace(/^\uFEFF/, '') ?? ''
    } catch (cause) {
      throw this.#unreadable(describeFault(cause), cause)
    }
    throw this.#unreadable('it is missing')
  }

  async change(change: Parameters<UsersStore['change']>[0]): Promise<boolean> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    const lock = await lockOf(this.#file)
    try {
      const lines = change((await this.text()).split(/\r?\n/).filter((line) => line !== ''))
      if (lines === null) return false
      const content = Buffer.from(lines.map((line) => `${line}\n`).join(''))
      await replaceFile(this.#file, content, { newMode: 0o600 })
      return true
    } finally {
      await lock[Symbol.asyncDispose]()
    }
  }

  /** Without the thread pool: each save looks, and would wait behind the syncs of others. */
  async stamp(): Promise<string> {
    try {
      const { ino, size, mtimeNs } = statSync(this.#file, { bigint: true })
      return `${ino} ${size} ${mtimeNs}`
    } catch (error) {
      return reasonOf(error)
    }
  }

  watch(changed: () => void): Disposable {
    const name = basename(this.#file)
    const watcher = watch(dirname(this.#file), { persistent: false }, (_event, file) => {
      if (file === null || file === name) changed()
    })
    watcher.on('error', () => watcher.close())
    return { [Symbol.dispose]: () => watcher.close() }
  }

  #unreadable(why: string, cause?: unknown): ServiceError<'unavailable'> {
    return unavailable(`The users file ${basename(this.#file)} cannot be read: ${why}`, cause)
  }
}

/** @throws {ServiceError} `unavailable` when another process holds the lock for too long. */
async function lockOf(file: string): Promise<ProcessLock> {
  const end = performance.now() + LOCK_TIMEOUT_MS
  for (;;) {
    try {
      return await openProcessLock(`${file}.lock`)
    } catch (error) {
      const isHeld = error instanceof ServiceError && error.code === 'unavailable'
      if (!isHeld || performance.now() > end) throw error
      await wait(POLL_INTERVAL_MS)
    }
  }
}
