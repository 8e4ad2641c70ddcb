import type { ChangedRegion } from './common-ends.ts'
import { MAX_PARTNERS } from './candidates.ts'
import { EXACT, type LineComparison } from './comparison.ts'
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
  const interned = internRegion(table, texts, region)
  const { counts } = interned
  if (haveCommonLine(counts)) {
    for (const range of endsOf(texts, region)) countLines(table, texts.before, range, counts)
  }
  return interned
}

/** Lines of the equal ends that are looked at in one step. */
const LINES_A_STEP = 4_096

/**
 * The same in steps, by the bytes of lines. In the equal ends it reads only lines that are as long as a line of the
 * region, and leaves out the lengths of lines that are known to be frequent.
 */
export function* internFew(texts: Texts, region: ChangedRegion): Generator<void, Interned, void> {
  const table = new LineTable(texts, region, EXACT)
  const interned = internRegion(table, texts, region)
  const { counts } = interned
  if (!haveCommonLine(counts)) return interned
  for (const { start, end } of endsOf(texts, region)) {
    for (let line = start; line < end; line += LINES_A_STEP) {
      const lengths = table.lengthsOf((id) => isRare(counts, id))
      const range = { start: line, end: Math.min(line + LINES_A_STEP, end) }
      countLines(table, texts.before, range, counts, lengths)
      yield
    }
  }
  return interned
}

/** Whether a line may still turn out to be frequent or not. */
function isRare({ before, after }: Interned['counts'], id: number): boolean {
  return Math.min(before[id] ?? 0, after[id] ?? 0) < MAX_PARTNERS
}

/** The lines of a region, with their occurrences in it. */
function internRegion(table: LineTable, texts: Texts, region: ChangedRegion): Interned {
  const before = table.idsOf(texts.before, region.before)
  table.sizeOfBefore = table.size
  const after = table.idsOf(texts.after, region.after)
  const counts = { before: occurrences(before, table.size), after: occurrences(after, table.size) }
  return { before, after, counts }
}

function occurrences(ids: Int32Array, size: number): Int32Array {
  const counts = new Int32Array(size)
  for (let n = 0; n < ids.length; n++) increment(counts, ids[n] ?? 0)
  return counts
}

function haveCommonLine({ before, after }: Interned['counts']): boolean {
  return before.some((count, id) => count > 0 && (after[id] ?? 0) > 0)
}

/** The equal ends, which are the same in both texts, so that one is read for both. */
function endsOf({ before: lines }: Texts, { before }: ChangedRegion): LineRange[] {
  return [
    { start: 0, end: before.start },
    { start: before.end, end: lines.count },
  ]
}

/** Counts the lines that are in the table; of certain lengths only, where these are given. */
function countLines(
  table: LineTable,
  lines: Lines,
  { start, end }: LineRange,
  counts: Interned['counts'],
  lengths: Uint8Array | null = null,
): void {
  const { starts } = lines
  for (let line = start; line < end; line++) {
    const length = (starts[line + 1] ?? 0) - (starts[line] ?? 0)
    if (lengths !== null && lengths[length] !== 1) continue
    const id = table.find(lines, line)
    if (id === null) continue
    increment(counts.before, id)
    increment(counts.after, id)
  }
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

  /** Marks the lengths of the wanted lines, in bytes, with a 1. */
  lengthsOf(isWanted: (id: number) => boolean): Uint8Array {
    const wanted = Array.from({ length: this.size }, (_, id) => id).filter(isWanted)
    const all = wanted.map((id) => {
      const line = this.#firstLine[id] ?? 0
      const { starts } = this.#textOf(id)
      return (starts[line + 1] ?? 0) - (starts[line] ?? 0)
    })
    const lengths = new Uint8Array(Math.max(0, ...all) + 1)
    for (const length of all) lengths[length] = 1
    return lengths
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
    return this.#comparison.equal(this.#textOf(id), this.#firstLine[id] ?? 0, lines, index)
  }

  #textOf(id: number): Lines {
    return id < this.sizeOfBefore ? this.#texts.before : this.#texts.after
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
