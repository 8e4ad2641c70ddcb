/** One side of a comparison: which lines take part, and the marks of those that turn out changed. */
export interface Side {
  /** The numbers of the lines that take part. */
  readonly ids: Int32Array
  /** Where each of them stands in the text. */
  readonly places: Int32Array
  /** One mark for every line of the text. */
  readonly changed: Uint8Array
}

interface LinesOfSide {
  readonly ids: Int32Array
  /** Number of the first line of `ids` in the text. */
  readonly offset: number
  readonly changed: Uint8Array
  /** How often the other side has the line of that id. */
  readonly partners: Int32Array
}

const ALONE = 0
const USEFUL = 1
const FREQUENT = 2

/** How far from a frequent line its surroundings are looked at. */
const WINDOW = 100
const MOST_PARTNERS = 1024

/**
 * Marks at once the lines that the other side lacks, and the frequent ones
 * (blank lines, closing tags) that stand among such lines: matching those would
 * tear a rewritten block apart. What is left takes part in the comparison.
 */
export function candidatesOf(lines: LinesOfSide): Side {
  const ranks = ranksOf(lines)
  const places = new Int32Array(ranks.length)
  let kept = 0
  for (let n = 0; n < ranks.length; n++) {
    if (ranks[n] === USEFUL || (ranks[n] === FREQUENT && !standsAmongLoners(ranks, n))) {
      places[kept] = lines.offset + n
      kept += 1
    } else {
      lines.changed[lines.offset + n] = 1
    }
  }
  const ids = new Int32Array(kept)
  for (let n = 0; n < kept; n++) ids[n] = lines.ids[(places[n] ?? 0) - lines.offset] ?? 0
  return { ids, places: places.subarray(0, kept), changed: lines.changed }
}

/** The square root, rounded up to a power of two. */
export function roughSquareRoot(n: number): number {
  return 2 ** Math.ceil(Math.log2(n + 1) / 2)
}

function ranksOf({ ids, partners, changed }: LinesOfSide): Uint8Array {
  const limit = Math.min(roughSquareRoot(changed.length), MOST_PARTNERS)
  const ranks = new Uint8Array(ids.length)
  for (let n = 0; n < ids.length; n++) {
    const count = partners[ids[n] ?? 0] ?? 0
    ranks[n] = count === 0 ? ALONE : count < limit ? USEFUL : FREQUENT
  }
  return ranks
}

function standsAmongLoners(ranks: Uint8Array, place: number): boolean {
  const above = neighbours(ranks, place, -1)
  if (above.alone === 0) return false
  const below = neighbours(ranks, place, 1)
  if (below.alone === 0) return false
  return (above.frequent + below.frequent + 2) * 3 < above.alone + below.alone
}

function neighbours(ranks: Uint8Array, place: number, step: number) {
  let alone = 0
  let frequent = 0
  for (let distance = 1; distance <= WINDOW; distance++) {
    const rank = ranks[place + distance * step] ?? USEFUL
    if (rank === USEFUL) break
    if (rank === ALONE) alone += 1
    else frequent += 1
  }
  return { alone, frequent }
}
