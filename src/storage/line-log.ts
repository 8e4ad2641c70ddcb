import {
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  type FileHandle,
} from 'node:fs/promises'
import { join } from 'node:path'
import nodeFs from 'node:fs/promises'
import { writeSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { syncFolder } from './sync-folder.ts'

export interface LineLogOptions {
  readonly folder: string
  /** What the names of its files begin with. */
  readonly name: string
  /** The size from which on a new file is begun, in bytes. */
  readonly fileSize: number
  /** How many files are kept. */
  readonly files: number
  /** Hears of the lines that made room: the numbers of the first and of the last one. */
  readonly removed: (first: number, last: number) => void
}

/** The number of its first line stands in the name of each file. */
const DIGITS = 15
/** Files that one reading looks into, so that a search costs no more than it may. */
const FILES_A_READING = 8

interface Pending {
  readonly make: (id: number) => string
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/**
 * Numbered lines in files that only grow. A line is on disk once `append` returns; lines that
 * are appended at the same time are synced together. When there is too much, the oldest file goes,
 * and whoever owns the log is told.
 */
export class LineLog implements AsyncDisposable {
  readonly #options: LineLogOptions
  #file: { readonly handle: FileHandle; size: number } | null = null
  #firsts: number[]
  #next: number
  #pending: Pending[] = []
  #writing: Promise<void> | null = null

  private constructor(options: LineLogOptions, firsts: number[], next: number) {
    this.#options = options
    this.#firsts = firsts
    this.#next = next
  }

  /** Opens the log; what a crash left of a line that was never acknowledged is cut off. */
  static async open(options: LineLogOptions): Promise<LineLog> {
    await mkdir(options.folder, { recursive: true, mode: 0o700 })
    const firsts = (await readdir(options.folder))
      .flatMap((file) => firstOf(options.name, file) ?? [])
      .toSorted((a, b) => a - b)
    const newest = firsts.at(-1)
    if (newest === undefined) return new LineLog(options, [], 1)
    const path = pathOf(options, newest)
    const bytes = await readFile(path)
    const whole = bytes.lastIndexOf(0x0a) + 1
    if (whole < bytes.length) await truncate(path, whole)
    const lines = bytes.subarray(0, whole).filter((byte) => byte === 0x0a).length
    return new LineLog(options, firsts, newest + lines)
  }

  /** The number that the next line gets. */
  next(): number {
    return this.#next
  }

  /** Adds the line that `make` makes of its number. @throws the system's error when it cannot be written. */
  append(make: (id: number) => string): Promise<void> {
    const appended = new Promise<void>((done, failed) => {
      this.#pending.push({ make, done, failed })
    })
    this.#writing ??= this.#writeAll()
    return appended
  }

  /**
   * Visits lines before a number, newest first, until the visitor says no or enough files were
   * read. Gives the number to go on before, or null when there are no more.
   */
  async readBack(
    before: number,
    visit: (line: string, id: number) => boolean,
  ): Promise<number | null> {
    const firsts = this.#firsts.filter((first) => first < before).toReversed()
    for (const first of firsts.slice(0, FILES_A_READING)) {
      const lines = (await readFile(pathOf(this.#options, first), 'utf8')).split('\n').slice(0, -1)
      for (let n = Math.min(lines.length, before - first) - 1; n >= 0; n -= 1) {
        if (!visit(lines[n] ?? '', first + n)) return first + n
      }
    }
    return firsts[FILES_A_READING - 1] !== undefined && firsts.length > FILES_A_READING
      ? (firsts[FILES_A_READING - 1] ?? null)
      : null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing
    await this.#file?.handle.close()
    this.#file = null
  }

  /** Whatever comes in the same turn goes to the disk together. */
  async #writeAll(): Promise<void> {
    await nextTurn()
    while (this.#pending.length > 0) {
      const batch = this.#pending
      this.#pending = []
      try {
        await this.#write(batch.map(({ make }, n) => `${make(this.#next + n)}\n`))
        for (const { done } of batch) done()
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
    }
    this.#writing = null
  }

  async #write(lines: readonly string[]): Promise<void> {
    const file = await this.#fileToWrite()
    const bytes = Buffer.from(lines.join(''))
    try {
      // In memory, which takes a tenth of a turn of the thread pool; what waits for the disk has its turn.
      for (let at = 0; at < bytes.length;) {
        at += writeSync(file.handle.fd, bytes, at, null, file.size + at)
      }
      await file.handle.datasync()
    } catch (error) {
      await Promise.allSettled([file.handle.truncate(file.size)])
      throw error
    }
    file.size += bytes.length
    this.#next += lines.length
  }

  async #fileToWrite(): Promise<{ readonly handle: FileHandle; size: number }> {
    const newest = this.#firsts.at(-1)
    if (!this.#file && newest !== undefined) {
      const path = pathOf(this.#options, newest)
      const { size } = await stat(path)
      this.#file = { handle: await open(path, 'r+'), size }
    }
    if (this.#file && this.#file.size < this.#options.fileSize) return this.#file
    await this.#file?.handle.close()
    this.#file = null
    const handle = await open(pathOf(this.#options, this.#next), 'w', 0o600)
    this.#file = { handle, size: 0 }
    if (this.#next !== newest) this.#firsts = [...this.#firsts, this.#next]
    await syncFolder(nodeFs, this.#options.folder)
    await this.#makeRoom()
    return this.#file
  }

  async #makeRoom(): Promise<void> {
    const [first, second] = this.#firsts
    if (this.#firsts.length <= this.#options.files || first === undefined || second === undefined)
      return
    await rm(pathOf(this.#options, first), { force: true })
    this.#firsts = this.#firsts.slice(1)
    this.#options.removed(first, second - 1)
  }
}

function pathOf({ folder, name }: LineLogOptions, first: number): string {
  return join(folder, `${name}-${String(first).padStart(DIGITS, '0')}.jsonl`)
}

function firstOf(name: string, file: string): number | null {
  const [, digits] = new RegExp(`^${name}-(\\d{${DIGITS}})\\.jsonl$`).exec(file) ?? []
  return digits === undefined ? null : Number(digits)
}
