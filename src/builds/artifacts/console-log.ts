import { constants } from 'node:fs'
import nodeFs, { open, readdir, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { ServiceError } from '../../core/errors.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { syncFolder } from '../../storage/sync-folder.ts'
import { SerialQueue } from '../../lib/serial-queue.ts'
import { CONSOLE_PATH } from './artifact-path.ts'
import { assertRoomFor, orDiskFull } from './disk-full.ts'
import { makeRoom } from './folders.ts'
import { bytesBelow } from './run-folders.ts'

const APPENDING = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW

/**
 * Reserved for each console on a disk that is otherwise full, so that the output of small jobs
 * fits.
 */
const BEGINNING = 64 * 1024

export interface ConsoleLogOptions {
  readonly clock: Clock
  /** Receives every change of the job's size in bytes. */
  readonly onSize: (bytes: number) => void
}

/**
 * The console of one job: a growing file. Lines of the server in it do not count for the agent,
 * whose offsets refer to its own bytes.
 */
export class ConsoleLog {
  readonly #folder: string
  readonly #clock: Clock
  readonly #onSize: (bytes: number) => void
  readonly #writes = new SerialQueue()
  #noted = 0
  /** Whether the notice that the disk is full has been written. */
  #isCut = false
  #isBegun = true

  constructor(folder: string, { clock, onSize }: ConsoleLogOptions) {
    this.#folder = folder
    this.#clock = clock
    this.#onSize = onSize
  }

  /**
   * Appends bytes at an offset, which has to be the end, and returns the number of the agent's
   * bytes that are durable.
   *
   * @throws {ServiceError} `disk-full`; then none of these bytes is written.
   */
  append(offset: number, bytes: Uint8Array): Promise<number> {
    return this.#write(async (handle, size) => {
      const has = size - this.#noted
      if (offset !== has || bytes.length === 0) return has
      await this.#assertRoom(handle, { size, bytes })
      await this.#append(handle, { bytes, size })
      return has + bytes.length
    })
  }

  /** Adds a line of the server. */
  note(text: string): Promise<void> {
    return this.#write((handle, size) => this.#note(handle, { size, text }))
  }

  /** Moves the console of an earlier attempt at the same job aside, and removes its other files. */
  begin(): Promise<void> {
    this.#isBegun = false
    return this.#writes.run(async () => {
      this.#noted = 0
      this.#isCut = false
      const left = (await orNullWhenAbsent(readdir(this.#folder))) ?? []
      const output = dirname(CONSOLE_PATH)
      const artifacts = left.filter((name) => name !== output)
      for (const name of artifacts) {
        const path = join(this.#folder, name)
        const bytes = await bytesBelow(path)
        await rm(path, { recursive: true, force: true })
        this.#onSize(-bytes)
      }
      await this.#setAside()
      this.#isBegun = true
    })
  }

  /** Begins what could not be begun before; otherwise the bytes of the attempts would be mixed. */
  async ensureBegun(): Promise<void> {
    if (!this.#isBegun) await this.begin()
  }

  /** Writes to the console why it ends. */
  async #assertRoom(
    handle: FileHandle,
    { size, bytes }: { readonly size: number; readonly bytes: Uint8Array },
  ): Promise<void> {
    const what = size + bytes.length <= BEGINNING ? 'beginning of a console' : 'file'
    try {
      await assertRoomFor(bytes.length, { folder: this.#folder, what })
    } catch (error) {
      if (error instanceof ServiceError && !this.#isCut) {
        this.#isCut = true
        await this.#note(handle, { size, text: error.message })
      }
      throw error
    }
  }

  async #note(
    handle: FileHandle,
    { size, text }: { readonly size: number; readonly text: string },
  ): Promise<void> {
    const time = new Date(this.#clock()).toISOString().slice(11, 23)
    const line = Buffer.from(`${time} [cairn] ${text}\n`)
    await this.#append(handle, { bytes: line, size })
    this.#noted += line.length
  }

  async #append(
    handle: FileHandle,
    { bytes, size }: { readonly bytes: Uint8Array; readonly size: number },
  ): Promise<void> {
    await appendWhole(handle, bytes, size)
    this.#onSize(bytes.length)
  }

  async #setAside(): Promise<void> {
    const file = join(this.#folder, CONSOLE_PATH)
    const names = (await orNullWhenAbsent(readdir(dirname(file)))) ?? []
    if (!names.includes('console.log')) return
    const attempts = names.filter((name) => /^console\.\d+\.log$/.test(name)).length
    await rename(file, join(dirname(file), `console.${attempts + 1}.log`))
    await syncFolder(nodeFs, dirname(file))
  }

  #write<Result>(work: (handle: FileHandle, size: number) => Promise<Result>): Promise<Result> {
    return this.#writes.run(() =>
      orDiskFull(async () => {
        const file = await makeRoom(this.#folder, CONSOLE_PATH.split('/'))
        const handle = await open(file, APPENDING, 0o644)
        try {
          const { size } = await handle.stat()
          if (size === 0) await syncFolder(nodeFs, dirname(file))
          return await work(handle, size)
        } finally {
          await handle.close()
        }
      }),
    )
  }
}

/** Removes the bytes of an incomplete write. */
async function appendWhole(handle: FileHandle, bytes: Uint8Array, size: number): Promise<void> {
  try {
    let written = 0
    while (written < bytes.length) {
      const rest = bytes.subarray(written)
      written += (await handle.write(rest, 0, rest.length, size + written)).bytesWritten
    }
    await handle.datasync()
  } catch (error) {
    await handle.truncate(size)
    throw error
  }
}
