const FIRST_SLOTS = 1_024
/** So many slots there are at least for each name. */
const SLOTS_PER_NAME = 2

export interface Names {
  /** A number that names have that are the same, and hardly any others. */
  readonly numberAt: (place: number) => number
  readonly nameAt: (place: number) => string | null
}

/**
 * Finds the place of a name. The names themselves are kept by somebody else: that makes it quicker
 * to fill than a `Map`, which a start would have to give a hundred thousand strings.
 */
export class NameTable {
  readonly #names: Names
  /** A place and one more; 0 where there is none. */
  #slots = new Int32Array(FIRST_SLOTS)
  #size = 0

  constructor(names: Names) {
    this.#names = names
  }

  /** The place of the name with that number, or null. */
  find(name: string, number: number): number | null {
    const { numberAt, nameAt } = this.#names
    const mask = this.#slots.length - 1
    for (let slot = number & mask; ; slot = (slot + 1) & mask) {
      const place = (this.#slots[slot] ?? 0) - 1
      if (place < 0) return null
      if (numberAt(place) === number && nameAt(place) === name) return place
    }
  }

  /** Notes the name at a place, instead of the same name at an earlier one. */
  add(place: number): void {
    const slot = this.#slotFor(place)
    if (this.#slots[slot] === 0) this.#size += 1
    this.#slots[slot] = place + 1
    if (this.#size * SLOTS_PER_NAME > this.#slots.length) this.#grow()
  }

  #slotFor(place: number): number {
    const { numberAt, nameAt } = this.#names
    const number = numberAt(place)
    const mask = this.#slots.length - 1
    for (let slot = number & mask; ; slot = (slot + 1) & mask) {
      const other = (this.#slots[slot] ?? 0) - 1
      if (other < 0) return slot
      if (numberAt(other) === number && nameAt(other) === nameAt(place)) return slot
    }
  }

  #grow(): void {
    const taken = this.#slots.filter((slot) => slot !== 0)
    this.#slots = new Int32Array(this.#slots.length * 4)
    for (const slot of taken) this.#slots[this.#slotFor(slot - 1)] = slot
  }
}
