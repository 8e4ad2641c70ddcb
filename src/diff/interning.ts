import type { Region } from './common-ends.ts'
import type { LineComparison } from './comparison.ts'
import type { LineRange, Lines } from './lines.ts'

/** The lines of a region as small integers: equal lines have equal numbers. */
export interface Interned {
  readonly before: Int32Array
  readonly after: Int32Array
  /** How many different lines there are. */
  readonly size: number
}

export function intern(
  texts: { readonly before: Lines; readonly after: Lines },
  region: Region,
  comparison: LineComparison,
): Interned {
  const table = new LineTable(lengthOf(region.before) + lengthOf(region.after), comparison)
  const before = table.idsOf(texts.before, region.before)
  const after = table.idsOf(texts.after, region.after)
  return { before, after, size: table.size }
}

/** An open-addressing hash table in typed arrays; an id is the order of first appearance. */
class LineTable {
  size = 0
  readonly #comparison: LineComparison
  /** Ids plus one; 0 is a free slot. */
  readonly #slots: Int32Array
  readonly #hashes: Int32Array
  /** The line that brought each id: its number and its text. */
  readonly #firstLine: Int32Array
  readonly #firstTexts: { readonly until: number; readonly lines: Lines }[] = []

  constructor(capacity: number, comparison: LineComparison) {
    this.#comparison = comparison
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(capacity + 1) + 1))
    this.#hashes = new Int32Array(capacity)
    this.#firstLine = new Int32Array(capacity)
  }

  idsOf(lines: Lines, range: LineRange): Int32Array {
    const ids = new Int32Array(lengthOf(range))
    for (let n = 0; n < ids.length; n++) ids[n] = this.#idOf(lines, range.start + n)
    this.#firstTexts.push({ until: this.size, lines })
    return ids
  }

  #idOf(lines: Lines, index: number): number {
    const hash = this.#comparison.hash(lines, index)
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (;;) {
      const id = (this.#slots[slot] ?? 0) - 1
      if (id < 0) return this.#add(slot, hash, index)
      if (this.#hashes[id] === hash && this.#isLine(id, lines, index)) return id
      slot = (slot + 1) & mask
    }
  }

  #isLine(id: number, lines: Lines, index: number): boolean {
    const text = this.#firstTexts.find(({ until }) => id < until)?.lines ?? lines
    return this.#comparison.equal(text, this.#firstLine[id] ?? 0, lines, index)
  }

  #add(slot: number, hash: number, index: number): number {
    const id = this.size
    this.#slots[slot] = id + 1
    this.#hashes[id] = hash
    this.#firstLine[id] = index
    this.size += 1
    return id
  }
}

function lengthOf({ start, end }: LineRange): number {
  return end - start
}
