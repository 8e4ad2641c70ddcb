import { closeSync, openSync, readSync } from 'node:fs'
import { builtFile } from '../lib/built-file.ts'
import { WorkerThread } from '../lib/worker-thread.ts'
import { fsErrorCode } from './fs-error.ts'

/** The pages from which a log is copied, as by SQLite's default. */
const MAX_PAGES = 1_000
/** The pages from which writers wait for the copy, which they could outrun for ever. */
const MAX_PAGES_BESIDE = 4 * MAX_PAGES
/** The pages from which SQLite copies the log itself: the thread may find no file, or never a moment without readers. */
export const MAX_PAGES_ALONE = 8 * MAX_PAGES
/** The longest time that a timer can have: a copy has no time limit. */
const NO_LIMIT_MS = 2 ** 31 - 1
const MEMORY_MB = 16

/** Where the log's header has the size of a page and the two salts, which all frames of the same log have. */
const [PAGE_SIZE_AT, SALTS_AT, SALTS_BYTES] = [8, 16, 8]
const [HEADER_BYTES, FRAME_HEADER_BYTES, FRAME_SALTS_AT] = [32, 24, 8]

/** The thread for all files of this process; it does nothing but wait for their disk. */
const thread = new WorkerThread<string, boolean>(
  builtFile('storage/checkpoint-worker.js'),
  NO_LIMIT_MS,
  MEMORY_MB,
)

/**
 * The log of a SQLite file, which a thread copies into the file, since that waits for the disk. Whoever begins a
 * transaction meanwhile may find the file busy.
 */
export class SqliteLog implements Disposable {
  readonly #file: string
  /** Opened by the first commit, before which the log may not be there. */
  #log: number | null = null
  #maxPages = MAX_PAGES
  #copying: Promise<void> | null = null

  constructor(file: string) {
    this.#file = file
  }

  /** Waits for the copy of a log that is far too long. Call it before each transaction. */
  async mayGrow(): Promise<void> {
    if (this.#copying !== null && this.#hasPage(MAX_PAGES_BESIDE)) await this.#copying
  }

  /** Has a long log copied. Call it after each commit. */
  noteCommit(): void {
    if (this.#copying === null && this.#hasPage(this.#maxPages)) this.#copying = this.#copy()
  }

  /** Waits until it is not being copied. */
  async rest(): Promise<void> {
    await this.#copying
  }

  [Symbol.dispose](): void {
    if (this.#log !== null) closeSync(this.#log)
    this.#log = null
  }

  /** A log that cannot be copied, such as to a full disk, is whole: it is tried again when it has grown. */
  async #copy(): Promise<void> {
    const isBegunAnew = await thread.run(this.#file, []).catch(() => false)
    this.#maxPages = isBegunAnew === true ? MAX_PAGES : this.#maxPages + MAX_PAGES
    this.#copying = null
  }

  /** Whether the log has that many pages. A frame of a former log, which was written over from the start, has other salts. */
  #hasPage(number: number): boolean {
    this.#log ??= opened(`${this.#file}-wal`)
    const header = this.#read(0, HEADER_BYTES)
    if (header === null) return false
    const pageSize = header.readUInt32BE(PAGE_SIZE_AT)
    const frame = HEADER_BYTES + (number - 1) * (FRAME_HEADER_BYTES + pageSize)
    const salts = this.#read(frame + FRAME_SALTS_AT, SALTS_BYTES)
    return salts?.equals(header.subarray(SALTS_AT, SALTS_AT + SALTS_BYTES)) ?? false
  }

  #read(position: number, length: number): Buffer | null {
    const bytes = Buffer.alloc(length)
    if (this.#log === null) return null
    return readSync(this.#log, bytes, 0, length, position) === length ? bytes : null
  }
}

/** Null when somebody has removed the file. */
function opened(file: string): number | null {
  try {
    return openSync(file, 'r')
  } catch (error) {
    if (fsErrorCode(error) !== 'ENOENT') throw error
    return null
  }
}
