import { bisect } from '../bisect.ts'

/** The stored digits of each name. */
export const STORED_SIGNS = 6
/** Places are below this; with the signs in front they fit in a whole number of a double. */
const PLACES = 2 ** 28
/**
 * The number of new names that are sorted in together: at least a few, and a share of the sorted
 * ones.
 */
const MAX_UNSORTED = { atLeast: 256, part: 1 / 4 }

/** A list of names. The methods give null for a place that is not to be found. */
export interface HexNames {
  nameAt(place: number): string | null
  /** The number in the first signs of a name, which is quicker to read. */
  firstAt(place: number): number | null
}

/**
 * Finds hexadecimal names, such as those of commits, in a long list. Each takes eight bytes, where
 * a `Map` takes more than a hundred. The list itself has the whole names.
 */
export class HexPlaces {
  readonly #names: HexNames
  /** Numbers of the first signs of a name and its place, ascending. */
  #sorted = new Float64Array()
  /** The places of names that came since. */
  readonly #new = new Map<string, number>()
  #length = 0

  constructor(names: HexNames) {
    this.#names = names
  }

  /** Whether it knows no names yet. */
  get isEmpty(): boolean {
    return this.#length === 0
  }

  /** Adds the names of the list since the last call, up to its present length. */
  grow(length: number): void {
    const from = this.#length
    this.#length = length
    const { atLeast, part } = MAX_UNSORTED
    const most = Math.max(atLeast, this.#sorted.length * part)
    if (this.#new.size + length - from > most) {
      this.#sort(from)
      return
    }
    for (let place = from; place < length; place += 1) {
      const name = this.#names.nameAt(place)
      if (name !== null) this.#new.set(name, place)
    }
  }

  /** The highest place with that name; null for none. */
  find(name: string): number | null {
    const found = this.#new.get(name)
    if (found !== undefined) return found
    const first = firstOf(name)
    const sorted = this.#sorted
    const end = bisect({ high: sorted.length }, (n) => (sorted[n] ?? 0) < first + PLACES)
    for (let n = end - 1; n >= 0 && (sorted[n] ?? 0) >= first; n -= 1) {
      const place = (sorted[n] ?? 0) - first
      if (this.#names.nameAt(place) === name) return place
    }
    return null
  }

  /** Merges the new names into the places from this one on. */
  #sort(from: number): void {
    const sorted = this.#sorted
    const all = new Float64Array(sorted.length + this.#new.size + this.#length - from)
    all.set(sorted)
    let size = sorted.length
    for (const [name, place] of this.#new) all[size++] = firstOf(name) + place
    for (let place = from; place < this.#length; place += 1) {
      const first = this.#names.firstAt(place)
      if (first !== null) all[size++] = first * PLACES + place
    }
    this.#sorted = all.subarray(0, size).toSorted()
    this.#new.clear()
  }
}

/** The first signs of a name, as a number with room for a place behind them. */
function firstOf(name: string): number {
  return Number.parseInt(name.slice(0, STORED_SIGNS), 16) * PLACES
}
