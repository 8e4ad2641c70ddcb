import type { EditScript } from '../../diff/edit-script.ts'
import { hunksOf } from '../../diff/hunks.ts'
import { bytesOf } from '../../diff/lines.ts'
import { commonBytes } from '../../lib/common-bytes.ts'
import { packNumbers, unpackNumbers } from '../database/varints.ts'

/** A changed place of a document: its whole lines before and after, with a line of context around them. */
export interface ChangedText {
  readonly before: Uint8Array
  readonly after: Uint8Array
}

const LINE_FEED = '\n'
/** Two lines are in one place of {@link ChangedText} where their being neighbours is what changed. */
const CONTEXT = 1

/** The changed places of a document. */
export function changedTextOf(script: EditScript): readonly ChangedText[] {
  return hunksOf(script, CONTEXT).map((hunk) => ({
    before: bytesOf(script.before, hunk.before),
    after: bytesOf(script.after, hunk.after),
  }))
}

/** The numbers of each place in {@link packPlaces}. */
const NUMBERS = 4

/**
 * Places as bytes, in which what a place has before and after at its start and at its end is there once:
 * how many bytes the numbers of all places take, these, and of each place the whole text before and what
 * else stands in the middle after.
 */
export function packPlaces(places: readonly ChangedText[]): Buffer {
  const numbers: number[] = []
  const texts: Uint8Array[] = []
  for (const { before, after } of places) {
    const { prefix, suffix } = commonBytes(before, after)
    const middle = after.subarray(prefix, after.length - suffix)
    numbers.push(before.length, prefix, suffix, middle.length)
    texts.push(before, middle)
  }
  const head = packNumbers(numbers)
  return Buffer.concat([packNumbers([head.length]), head, ...texts])
}

export function unpackPlaces(packed: Buffer): readonly ChangedText[] {
  const end = packed.findIndex((byte) => byte < 128) + 1
  const [headLength = 0] = unpackNumbers(packed.subarray(0, end))
  const numbers = unpackNumbers(packed.subarray(end, end + headLength))
  const places: ChangedText[] = []
  let at = end + headLength
  const next = (length = 0) => packed.subarray(at, (at += length))
  for (let n = 0; n < numbers.length; n += NUMBERS) {
    const [length = 0, prefix = 0, suffix = 0, middle = 0] = numbers.slice(n, n + NUMBERS)
    const before = next(length)
    const ends = [before.subarray(0, prefix), before.subarray(length - suffix)] as const
    places.push({ before, after: Buffer.concat([ends[0], next(middle), ends[1]]) })
  }
  return places
}

/** Whether a change made a text occur more or less often; `perhaps` where only the documents tell. */
export type Effect = 'none' | 'changed' | 'perhaps'

/**
 * A text whose occurrences are counted as `git log -S` does: those that do not overlap, from the
 * start, in bytes.
 *
 * Without a line feed, no occurrence spans lines, so that equal lines have equal counts wherever they
 * stand, and changed places say it all. With one line feed and no way to overlap itself, an
 * occurrence that came or went has both lines in one place. Any other text is looked for pair of
 * lines by pair of lines; where a pair is found, the documents have to be counted.
 */
export class SearchedText {
  readonly #bytes: Buffer
  readonly #isLocal: boolean
  /** One of them is in each place that changes the count: the text, or its pairs of neighbouring lines. */
  readonly #parts: readonly Buffer[]

  constructor(text: string) {
    this.#bytes = Buffer.from(text)
    const lines = text.split(LINE_FEED)
    this.#isLocal = lines.length === 1 || (lines.length === 2 && !overlapsItself(this.#bytes))
    const pairs = lines
      .slice(1)
      .map((line, n) => Buffer.from(`${lines[n] ?? ''}${LINE_FEED}${line}`))
    this.#parts = this.#isLocal ? [this.#bytes] : pairs
  }

  countIn(document: Uint8Array): number {
    const { buffer, byteOffset, length } = document
    return countOf(this.#bytes, Buffer.from(buffer, byteOffset, length))
  }

  effectOf(places: readonly ChangedText[]): Effect {
    if (!this.#isLocal) return this.#mayConcern(places) ? 'perhaps' : 'none'
    let more = 0
    for (const { before, after } of places) more += this.countIn(after) - this.countIn(before)
    return more === 0 ? 'none' : 'changed'
  }

  #mayConcern(places: readonly ChangedText[]): boolean {
    return places.some(({ before, after }) =>
      this.#parts.some((part) => includes(before, part) || includes(after, part)),
    )
  }
}

function includes({ buffer, byteOffset, length }: Uint8Array, part: Buffer): boolean {
  return Buffer.from(buffer, byteOffset, length).includes(part)
}

/** Whether a text ends as it begins, as `aba` does. */
function overlapsItself(text: Buffer): boolean {
  for (let length = 1; length < text.length; length += 1) {
    if (text.subarray(0, length).equals(text.subarray(-length))) return true
  }
  return false
}

function countOf(text: Buffer, document: Buffer): number {
  let count = 0
  let at = document.indexOf(text)
  while (at >= 0) {
    count += 1
    at = document.indexOf(text, at + text.length)
  }
  return count
}
