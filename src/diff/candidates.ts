/** One side of a comparison: the lines that take part, and the marks of changed lines. */
export interface ComparedSide {
  /** The numbers of the lines that take part. */
  readonly ids: Int32Array
  /** The position of each in the text. */
  readonly places: Int32Array
  /** One mark for every line of the text. */
  readonly changed: Uint8Array
}

interface LinesOfSide {
  readonly ids: Int32Array
  /** Number of the first line of `ids` in the text. */
  readonly offset: number
  readonly changed: Uint8Array
  /** The number of lines of the other side with this id. */
  readonly partners: Int32Array
}

const ALONE = 0
const USEFUL = 1
const FREQUENT = 2

/** The number of lines around a frequent line that are examined. */
const WINDOW = 100
/** A line with so many occurrences is frequent, however long the text is. */
export const MAX_PARTNERS = 1024

/**
 * Drops the lines that the other side lacks, and the frequent ones (blank lines, closing tags)
 * among such lines: matching those would tear a rewritten block apart. The rest takes part in the
 * comparison.
 */
export function candidatesOf(lines: LinesOfSide): ComparedSide {
  const ranks = ranksOf(lines)
  const surroundings = new Surroundings(ranks)
  const places = new Int32Array(ranks.length)
  let count = 0
  for (let n = 0; n < ranks.length; n++) {
    if (ranks[n] === USEFUL || (ranks[n] === FREQUENT && !surroundings.areLoners(n))) {
      places[count] = lines.offset + n
      count += 1
    } else {
      lines.changed[lines.offset + n] = 1
    }
  }
  const ids = new Int32Array(count)
  for (let n = 0; n < count; n++) ids[n] = lines.ids[(places[n] ?? 0) - lines.offset] ?? 0
  return { ids, places: places.subarray(0, count), changed: lines.changed }
}

/** The square root, rounded up to a power of two. */
export function roughSquareRoot(n: number): number {
  return 2 ** Math.ceil(Math.log2(n + 1) / 2)
}

function ranksOf({ ids, partners, changed }: LinesOfSide): Uint8Array {
  const limit = Math.min(roughSquareRoot(changed.length), MAX_PARTNERS)
  const ranks = new Uint8Array(ids.length)
  for (let n = 0; n < ids.length; n++) {
    const count = partners[ids[n] ?? 0] ?? 0
    ranks[n] = count === 0 ? ALONE : count < limit ? USEFUL : FREQUENT
  }
  return ranks
}

/** Decides, for ascending places, whether a frequent line is in a run of lines mostly without partners. */
class Surroundings {
  readonly #ranks: Uint8Array
  /** The number of lines without a partner above each place. */
  readonly #alone: Int32Array
  #runStart = 0
  #runEnd = 0

  constructor(ranks: Uint8Array) {
    this.#ranks = ranks
    this.#alone = new Int32Array(ranks.length + 1)
    let alone = 0
    for (let n = 0; n < ranks.length; n++) {
      if (ranks[n] === ALONE) alone += 1
      this.#alone[n + 1] = alone
    }
  }

  areLoners(place: number): boolean {
    if (place >= this.#runEnd) this.#findRun(place)
    const start = Math.max(this.#runStart, place - WINDOW)
    const end = Math.min(this.#runEnd, place + WINDOW + 1)
    const above = this.#aloneIn(start, place)
    const below = this.#aloneIn(place + 1, end)
    if (above === 0 || below === 0) return false
    const frequent = end - start - 1 - above - below
    return (frequent + 2) * 3 < above + below
  }

  /** The nearest useful lines bound the run that is examined. */
  #findRun(place: number): void {
    this.#runStart = place
    while (this.#runStart > this.#runEnd && this.#ranks[this.#runStart - 1] !== USEFUL) {
      this.#runStart -= 1
    }
    this.#runEnd = place
    while (this.#runEnd < this.#ranks.length && this.#ranks[this.#runEnd] !== USEFUL) {
      this.#runEnd += 1
    }
  }

  #aloneIn(start: number, end: number): number {
    return (this.#alone[end] ?? 0) - (this.#alone[start] ?? 0)
  }
}
