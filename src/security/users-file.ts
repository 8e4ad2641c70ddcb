import { statSync, watch } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { reasonOf, ServiceError, unavailable } from '../core/errors.ts'
import { describeFault } from '../core/faults.ts'
import { SerialQueue } from '../lib/serial-queue.ts'
import { replaceFile } from '../storage/durable-fs.ts'
import { realPath } from '../storage/folders.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import { openProcessLock, type ProcessLock } from '../storage/process-lock.ts'
import type { UsersStore } from './users.ts'

/** The time that a change waits for a concurrent one, in milliseconds. */
const LOCK_TIMEOUT_MS = 30_000
const POLL_INTERVAL_MS = 20
const MARK = Buffer.from('\uFEFF')

/** Users in a file, which an operator may also write. */
export class UsersFile implements UsersStore {
  readonly #file: string
  /** The lock keeps other processes out; here each change waits for those before it. */
  readonly #changes = new SerialQueue()
  /** Whether the file was there once: later it is missing, and not one that nobody has made yet. */
  #wasThere = false

  constructor(file: string) {
    this.#file = file
  }

  async text(): Promise<string> {
    return (await this.#read()).toString()
  }

  change(change: Parameters<UsersStore['change']>[0]): Promise<boolean> {
    return this.#changes.run(() => this.#changeNow(change))
  }

  /** A link stays one, and lines that stay keep their bytes, whatever the encoding. */
  async #changeNow(change: Parameters<UsersStore['change']>[0]): Promise<boolean> {
    const file = await realPath(this.#file)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const lock = await lockOf(file)
    try {
      const former = await this.#read()
      const formerLines = linesIn(former)
      const lines = change(formerLines.map(String))
      if (lines === null) return false
      const ending = Buffer.from(former.includes('\r\n') ? '\r\n' : '\n')
      const parts = bytesOf(lines, formerLines).flatMap((line) => [line, ending])
      await replaceFile(file, Buffer.concat(parts), { newMode: 0o600 })
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

  async #read(): Promise<Buffer> {
    try {
      const bytes = await orNullWhenAbsent(readFile(this.#file))
      this.#wasThere ||= bytes !== null
      if (bytes !== null || !this.#wasThere) return withoutMark(bytes ?? Buffer.alloc(0))
    } catch (cause) {
      throw this.#unreadable(describeFault(cause), cause)
    }
    throw this.#unreadable('it is missing')
  }

  #unreadable(why: string, cause?: unknown): ServiceError<'unavailable'> {
    return unavailable(`The users file ${basename(this.#file)} cannot be read: ${why}`, cause)
  }
}

/** Editors of Windows put a mark before the first name. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes
}

/** The lines without their endings. */
function linesIn(bytes: Buffer): readonly Buffer[] {
  if (bytes.length === 0) return []
  const lines = bytes
    .toString('latin1')
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
  return lines.map((line) => Buffer.from(line, 'latin1'))
}

/** Keeps the bytes of lines that were there before, in their order. */
function bytesOf(lines: readonly string[], former: readonly Buffer[]): readonly Buffer[] {
  const texts = former.map(String)
  let place = 0
  return lines.map((line) => {
    const found = texts.indexOf(line, place)
    if (found < 0) return Buffer.from(line)
    place = found + 1
    return former[found] ?? Buffer.from(line)
  })
}

/** @throws {ServiceError} `unavailable` when another process holds the lock for too long. */
async function lockOf(file: string): Promise<ProcessLock> {
  const end = performance.now() + LOCK_TIMEOUT_MS
  for (;;) {
    try {
      return await openProcessLock(`${file}.lock`)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      if (performance.now() > end) throw lockedElsewhere(basename(file), error)
      await wait(POLL_INTERVAL_MS)
    }
  }
}

/** Without the folder and the process, since callers hear of it. */
function lockedElsewhere(name: string, cause: ServiceError): ServiceError<'unavailable'> {
  const wayOut = `end it, or remove ${name}.lock where it has ended`
  return unavailable(`Another process keeps the users file ${name} locked: ${wayOut}`, cause)
}
