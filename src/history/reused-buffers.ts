/** Memory is handed out in steps of so many bytes, so that documents that grow a little still fit. */
const STEP = 65_536
/** What is larger is read too seldom to keep memory for it. */
const LARGEST = 1_048_576
/** How many pieces of memory wait for their next use at most. */
const WAITING = 16

/**
 * Memory for what is read. Whoever is done with a piece may give it back: thousands of large reads
 * then take no new memory, which costs the collector more than git takes to read them. What is not
 * given back is collected like any other memory.
 */
export class ReusedBuffers {
  readonly #waiting: ArrayBuffer[] = []
  readonly #lent = new WeakSet<ArrayBuffer>()

  /** Its content is undefined. */
  take(size: number): Buffer<ArrayBuffer> {
    if (size < STEP || size > LARGEST) return Buffer.allocUnsafeSlow(size)
    const capacity = Math.ceil(size / STEP) * STEP
    const found = this.#waiting.findIndex(({ byteLength }) => byteLength === capacity)
    const [buffer = new ArrayBuffer(capacity)] = found < 0 ? [] : this.#waiting.splice(found, 1)
    this.#lent.add(buffer)
    return Buffer.from(buffer, 0, size)
  }

  /** Only for bytes that nobody reads or writes any more. Bytes from elsewhere are left alone. */
  giveBack({ buffer }: Uint8Array): void {
    if (!(buffer instanceof ArrayBuffer) || !this.#lent.delete(buffer)) return
    this.#waiting.push(buffer)
    if (this.#waiting.length > WAITING) this.#waiting.shift()
  }
}
