import { bisect } from '../lib/bisect.ts'
import type { CommonBytes } from '../lib/common-bytes.ts'

/** A text cut into lines. A line ends with its line feed; only the last one may lack it. */
export interface Lines {
  readonly bytes: Uint8Array
  /** The same bytes, to be read four at a time. */
  readonly words: DataView
  readonly count: number
  /** Where each line begins, and after the last line the length of the text. */
  readonly starts: Int32Array
}

/** Lines `start` up to, and without, `end`, counted from 0. */
export interface LineRange {
  readonly start: number
  readonly end: number
}

export const LINE_FEED = 10
/** Bytes of a line for which there is room at first. */
const USUAL_LENGTH = 16

const noted = new WeakMap<Uint8Array, Lines>()

/** The lines of immutable bytes when they were noted; the next long document shares most of them. */
export function knownLines(text: Uint8Array): Lines | null {
  return noted.get(text) ?? null
}

/** Notes the lines of immutable bytes as long as these are in memory. */
export function noteLines(text: Uint8Array, lines: Lines): void {
  noted.set(text, lines)
}

export function splitLines(text: Uint8Array): Lines {
  const starts = new Starts(text.length / USUAL_LENGTH)
  starts.addFrom(text, { start: 0, end: text.length })
  return starts.linesOf(text)
}

/** Splits a text that shares its ends with another, so that their line feeds need no search. */
export function splitLike(model: Lines, text: Uint8Array, { prefix, suffix }: CommonBytes): Lines {
  const starts = new Starts(model.starts.length)
  const modelSuffix = model.bytes.length - suffix
  const known = lineFeeds(model) + 1
  starts.addKnown(model, { start: 1, end: Math.min(firstStart(model, prefix + 1), known) }, 0)
  starts.addFrom(text, { start: prefix, end: text.length - suffix })
  starts.addKnown(
    model,
    { start: firstStart(model, modelSuffix + 1), end: known },
    text.length - model.bytes.length,
  )
  return starts.linesOf(text)
}

/** A text with its table of line starts. */
export function linesAt(bytes: Uint8Array, starts: Int32Array): Lines {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return { bytes, words, count: starts.length - 1, starts }
}

/** The first entry of the table of starts that is not before that place. */
export function firstStart({ starts }: Lines, place: number): number {
  return bisect({ high: starts.length }, (n) => (starts[n] ?? 0) < place)
}

/** The bytes of some lines, as a view. */
export function bytesOf(lines: Lines, { start, end }: LineRange): Uint8Array {
  return lines.bytes.subarray(lines.starts[start], lines.starts[end])
}

function lineFeeds({ bytes, count }: Lines): number {
  return bytes.at(-1) === LINE_FEED ? count : Math.max(count - 1, 0)
}

/** A table of line starts that grows as line feeds are found. The first line begins at 0. */
class Starts {
  #starts: Int32Array<ArrayBuffer>
  #count = 0

  /** Takes about so many lines without growing. */
  constructor(lines: number) {
    this.#starts = new Int32Array(Math.ceil(lines) + 64)
  }

  addFrom(text: Uint8Array, { start, end }: LineRange): void {
    // Buffer's search is native code with little to pay for each call.
    const buffer = Buffer.from(text.buffer, text.byteOffset, end)
    let at = buffer.indexOf(LINE_FEED, start)
    while (at >= 0) {
      this.#count += 1
      this.#reserve(this.#count + 1)
      this.#starts[this.#count] = at + 1
      at = buffer.indexOf(LINE_FEED, at + 1)
    }
  }

  addKnown(model: Lines, { start, end }: LineRange, shift: number): void {
    if (end <= start) return
    this.#reserve(this.#count + end - start + 1)
    if (shift === 0) {
      this.#starts.set(model.starts.subarray(start, end), this.#count + 1)
      this.#count += end - start
      return
    }
    for (let n = start; n < end; n++) {
      this.#count += 1
      this.#starts[this.#count] = (model.starts[n] ?? 0) + shift
    }
  }

  linesOf(bytes: Uint8Array): Lines {
    if (this.#starts[this.#count] !== bytes.length) this.#count += 1
    this.#starts[this.#count] = bytes.length
    return linesAt(bytes, this.#starts.subarray(0, this.#count + 1))
  }

  #reserve(last: number): void {
    if (last < this.#starts.length) return
    const larger = new Int32Array(Math.max(this.#starts.length * 2, last + 1))
    larger.set(this.#starts)
    this.#starts = larger
  }
}
