import type { FileHandle } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The size of one read, in bytes; a longer line or piece is read whole. */
const PART = 262_144
const LINE_FEED = 10

/** Reads a file from its start, in parts, so that memory holds one of them; others get their turn after each. */
export class PartReader implements AsyncDisposable {
  readonly #file: FileHandle
  #bytes = Buffer.alloc(0)
  #at = 0
  #read = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  /** The place up to which the file was taken. */
  get offset(): number {
    return this.#read - this.#bytes.length + this.#at
  }

  /** Whether the end is reached, once there is no next line. */
  get isSpent(): boolean {
    return this.#at === this.#bytes.length
  }

  /** The next line with its line feed, or null at the end. */
  async line(): Promise<Buffer | null> {
    let end = this.#bytes.indexOf(LINE_FEED, this.#at)
    while (end < 0) {
      if (!(await this.#more(Math.max(PART, this.#bytes.length - this.#at)))) return null
      end = this.#bytes.indexOf(LINE_FEED, this.#at)
    }
    return this.take(end + 1 - this.#at)
  }

  /** Reads this number of bytes, or returns null when there are fewer. */
  async take(length: number): Promise<Buffer | null> {
    while (this.#bytes.length - this.#at < length) {
      const missing = length - (this.#bytes.length - this.#at)
      if (!(await this.#more(Math.max(PART, missing)))) return null
    }
    const start = this.#at
    this.#at += length
    return this.#bytes.subarray(start, this.#at)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }

  /** Reads on; false at the end of the file. */
  async #more(length: number): Promise<boolean> {
    const left = this.#bytes.subarray(this.#at)
    const bytes = Buffer.allocUnsafe(left.length + length)
    left.copy(bytes)
    const { bytesRead } = await this.#file.read(bytes, left.length, length, this.#read)
    this.#bytes = bytes.subarray(0, left.length + bytesRead)
    this.#at = 0
    this.#read += bytesRead
    await nextTurn()
    return bytesRead > 0
  }
}
