/** A queue of bytes that does not copy all of them on each operation. */
export class ByteQueue {
  #chunks: Buffer[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
  }

  /** The first bytes, at most so many. */
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
