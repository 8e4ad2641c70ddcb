import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { bisect } from '../bisect.ts'

/** Characters that are compressed together, and again read together. */
const TOGETHER = 16_384
/** Compressing a longer text would hold others up. */
const MAX_LENGTH = 262_144
const FAST = { level: 1 }
/** The number of groups that are cached unpacked. */
const READ = 16
const END = '\n'

/**
 * Stores many short lines in little memory: neighbours are compressed together. A text is read
 * within microseconds when its neighbours were read recently.
 */
export class PackedTexts {
  readonly #groups: Uint8Array[] = []
  /** The number of the first text of each group, and of the one that is open. */
  readonly #starts = [0]
  /** Long texts, by number. The groups have empty texts in their places. */
  readonly #long = new Map<number, string>()
  /** The newest group, which has room. */
  #open: string[] = []
  #size = 0
  #openLength = 0
  readonly #read = new LRUCache<number, readonly string[]>({ max: READ })

  /** Adds a text, and returns its number. */
  add(text: string): number {
    const number = this.#size
    this.#size += 1
    const isLong = text.length > MAX_LENGTH
    if (isLong) this.#long.set(number, text)
    this.#open.push(isLong ? '' : text)
    this.#openLength += this.#open.at(-1)?.length ?? 0
    if (this.#openLength >= TOGETHER) this.#close()
    return number
  }

  /** @throws {RangeError} for a number that no text has. */
  get(number: number): string {
    const group = bisect({ high: this.#starts.length }, (n) => (this.#starts[n] ?? 0) <= number) - 1
    const text = this.#textsOf(group)[number - (this.#starts[group] ?? 0)]
    if (text === undefined) throw new RangeError(`There is no text ${number}`)
    return this.#long.get(number) ?? text
  }

  #close(): void {
    // A copy, because the original is a part of a larger piece of memory.
    this.#groups.push(new Uint8Array(deflateRawSync(this.#open.join(END), FAST)))
    this.#starts.push(this.#size)
    this.#open = []
    this.#openLength = 0
  }

  #textsOf(group: number): readonly string[] {
    const packed = this.#groups[group]
    if (packed === undefined) return this.#open
    const read = this.#read.get(group) ?? inflateRawSync(packed).toString().split(END)
    this.#read.set(group, read)
    return read
  }
}
