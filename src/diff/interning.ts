import type { ChangedRegion } from './common-ends.ts'
import type { LineComparison } from './comparison.ts'
import type { LineRange, Lines } from './lines.ts'

/** The lines of a region as small integers: equal lines have equal numbers. */
export interface Interned {
  readonly before: Int32Array
  readonly after: Int32Array
  /** The number of occurrences of each line in each text, including the equal ends. */
  readonly counts: { readonly before: Int32Array; readonly after: Int32Array }
}

interface Texts {
  readonly before: Lines
  readonly after: Lines
}

export function intern(texts: Texts, region: ChangedRegion, comparison: LineComparison): Interned {
  const table = new LineTable(texts, region, comparison)
  const before = table.idsOf(texts.before, region.before)
  table.sizeOfBefore = table.size
  const after = table.idsOf(texts.after, region.after)
  const counts = { before: occurrences(before, table.size), after: occurrences(after, table.size) }
  if (haveCommonLine(counts.before, counts.after)) countEnds(table, texts.before, region, counts)
  return { before, after, counts }
}

function occurrences(ids: Int32Array, size: number): Int32Array {
  const counts = new Int32Array(size)
  for (let n = 0; n < ids.length; n++) increment(counts, ids[n] ?? 0)
  return counts
}

function haveCommonLine(before: Int32Array, after: Int32Array): boolean {
  return before.some((count, id) => count > 0 && (after[id] ?? 0) > 0)
}

/** The ends are the same in both texts, so one of them is read for both. */
function countEnds(
  table: LineTable,
  lines: Lines,
  region: ChangedRegion,
  counts: Interned['counts'],
) {
  const count = (line: number) => {
    const id = table.find(lines, line)
    if (id === null) return
    increment(counts.before, id)
    increment(counts.after, id)
  }
  for (let line = 0; line < region.before.start; line++) count(line)
  for (let line = region.before.end; line < lines.count; line++) count(line)
}

function increment(counts: Int32Array, id: number): void {
  counts[id] = (counts[id] ?? 0) + 1
}

/** An open-addressing hash table in typed arrays; an id is the order of first appearance. */
class LineTable {
  size = 0
  /** Ids below this belong to lines of the text before. */
  sizeOfBefore = Infinity
  readonly #texts: Texts
  readonly #comparison: LineComparison
  /** Ids plus one; 0 is a free slot. */
  readonly #slots: Int32Array
  readonly #hashes: Int32Array
  /** The number of the first line with each id. */
  readonly #firstLine: Int32Array

  constructor(texts: Texts, { before, after }: ChangedRegion, comparison: LineComparison) {
    const capacity = lengthOf(before) + lengthOf(after)
    this.#texts = texts
    this.#comparison = comparison
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(capacity + 1) + 1))
    this.#hashes = new Int32Array(capacity)
    this.#firstLine = new Int32Array(capacity)
  }

  idsOf(lines: Lines, range: LineRange): Int32Array {
    const ids = new Int32Array(lengthOf(range))
    for (let n = 0; n < ids.length; n++) ids[n] = this.#enter(lines, range.start + n)
    return ids
  }

  /** The id of a line, or null when no equal line has been entered. */
  find(lines: Lines, index: number): number | null {
    const slot = this.#slotOf(lines, index, this.#comparison.hash(lines, index))
    const entry = this.#slots[slot] ?? 0
    return entry === 0 ? null : entry - 1
  }

  #enter(lines: Lines, index: number): number {
    const hash = this.#comparison.hash(lines, index)
    const slot = this.#slotOf(lines, index, hash)
    const entry = this.#slots[slot] ?? 0
    return entry === 0 ? this.#add(slot, hash, index) : entry - 1
  }

  /** The slot that has the line, or the free one where it belongs. */
  #slotOf(lines: Lines, index: number, hash: number): number {
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (;;) {
      const entry = this.#slots[slot] ?? 0
      if (entry === 0) return slot
      if (this.#hashes[entry - 1] === hash && this.#isLine(entry - 1, lines, index)) return slot
      slot = (slot + 1) & mask
    }
  }

  #isLine(id: number, lines: Lines, index: number): boolean {
    const text = id < this.sizeOfBefore ? this.#texts.before : this.#texts.after
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
