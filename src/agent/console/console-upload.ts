import { setTimeout as delay } from 'node:timers/promises'
import { CONSOLE_BATCH } from '../../wire/agent/work.ts'

/** Reading of output pauses while this many bytes wait for the server. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024

export interface ConsoleUploadOptions {
  /** Appends bytes at an offset and returns the length on the server; rejects when it refuses. */
  readonly append: (offset: number, bytes: Buffer) => Promise<number>
  /** The time for which output is collected before it is sent. */
  readonly flushMs: number
  /** Called before a batch is built. */
  readonly onFlush: () => void
  /** Called when the server refuses more of this console. */
  readonly onRefused: (reason: unknown) => void
}

/**
 * Sends the text of a console to the server in order, in batches, each at its offset: bytes that
 * arrived although the answer got lost are not sent again.
 */
export class ConsoleUpload {
  readonly #options: ConsoleUploadOptions
  readonly #unsent = new ByteQueue()
  /** The position of the unsent bytes in the server's console. */
  #offset = 0
  #refused = false
  #closing = false
  #wake: () => void = () => undefined
  #sending: Promise<void> | null = null

  constructor(options: ConsoleUploadOptions) {
    this.#options = options
  }

  /** Queues text, which is sent soon. */
  add(text: string): void {
    if (text === '' || this.#refused) return
    this.#unsent.push(Buffer.from(text))
    this.#sending ??= this.#send()
    if (this.#unsent.size >= CONSOLE_BATCH.least) this.#wake()
  }

  /** Queues text; resolves when there is room for more. */
  async write(text: string): Promise<void> {
    this.add(text)
    if (this.#unsent.size > MAX_UNSENT_BYTES) await this.#sending
  }

  /** Resolves when the server has everything. */
  async close(): Promise<void> {
    this.#closing = true
    this.#wake()
    while (this.#sending) await this.#sending
  }

  async #send(): Promise<void> {
    try {
      do {
        if (this.#unsent.size < CONSOLE_BATCH.least && !this.#closing) await this.#gather()
        this.#options.onFlush()
        const batch = this.#unsent.peek(CONSOLE_BATCH.most)
        const has = await this.#options.append(this.#offset, batch)
        if (has === this.#offset) await delay(this.#options.flushMs)
        this.#settle(has)
      } while (this.#unsent.size > 0)
    } catch (error) {
      this.#refused = true
      this.#unsent.clear()
      this.#options.onRefused(error)
    } finally {
      this.#sending = null
    }
  }

  /**
   * Drops the bytes that the server has. If it has fewer than it confirmed, it lost some: continue
   * from there.
   */
  #settle(has: number): void {
    const accepted = has - this.#offset
    if (accepted > 0 && accepted <= this.#unsent.size) this.#unsent.drop(accepted)
    this.#offset = has
  }

  async #gather(): Promise<void> {
    const { flushMs } = this.#options
    const timer = new AbortController()
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    const elapsed = delay(flushMs, undefined, { signal: timer.signal }).catch(() => undefined)
    await Promise.race([woken, elapsed])
    timer.abort()
  }
}

/** A queue of bytes that does not copy all of them on each operation. */
class ByteQueue {
  #chunks: Buffer[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
  }

  /** The first bytes, up to this number. */
  peek(most: number): Buffer {
    let enough = 0
    let size = 0
    for (; enough < this.#chunks.length && size < most; enough += 1) {
      size += this.#chunks[enough]?.length ?? 0
    }
    return Buffer.concat(this.#chunks.slice(0, enough)).subarray(0, most)
  }

  drop(count: number): void {
    let left = Math.min(count, this.#size)
    this.#size -= left
    for (let first = this.#chunks[0]; first && left > 0; first = this.#chunks[0]) {
      if (first.length > left) this.#chunks[0] = first.subarray(left)
      else this.#chunks.shift()
      left -= Math.min(left, first.length)
    }
  }

  clear(): void {
    this.#chunks = []
    this.#size = 0
  }
}
