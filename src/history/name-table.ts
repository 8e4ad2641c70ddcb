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
 * to fill than a `Map`, which would want a string for each of a hundred thousand.
 */
export class NameTable {
  readonly #names: Names
  /** A place and one more; 0 where there is none. */
  #slots = new Int32Array(FIRST_SLOTS)
  /** The number of the name in each slot. */
  #numbers = new Int32Array(FIRST_SLOTS)
  #size = 0

  constructor(names: Names) {
    this.#names = names
  }

  /** The place of the name with that number, or null. */
  find(name: string, number: number): number | null {
    const place = (this.#slots[this.#slotOf(number, () => name)] ?? 0) - 1
    return place < 0 ? null : place
  }

  /** Notes the name at a place, instead of the same name at an earlier one. */
  add(place: number): void {
    this.reserve(this.#size + 1)
    const { numberAt, nameAt } = this.#names
    const number = numberAt(place)
    const slot = this.#slotOf(number, () => nameAt(place))
    if (this.#slots[slot] === 0) this.#size += 1
    this.#slots[slot] = place + 1
    this.#numbers[slot] = number
  }

  /** Makes room for so many names in all. */
  reserve(count: number): void {
    let length = this.#slots.length
    while (length < count * SLOTS_PER_NAME) length *= 2
    if (length > this.#slots.length) this.#moveTo(length)
  }

  /** The slot of a name, or the free one that it would take. */
  #slotOf(number: number, nameOf: () => string | null): number {
    const { nameAt } = this.#names
    const [slots, numbers, mask] = [this.#slots, this.#numbers, this.#slots.length - 1]
    for (let slot = number & mask; ; slot = (slot + 1) & mask) {
      const place = (slots[slot] ?? 0) - 1
      if (place < 0) return slot
      if (numbers[slot] === number && nameAt(place) === nameOf()) return slot
    }
  }

  #moveTo(length: number): void {
    const [slots, numbers, mask] = [this.#slots, this.#numbers, length - 1]
    this.#slots = new Int32Array(length)
    this.#numbers = new Int32Array(length)
    for (const [from, number] of numbers.entries()) {
      const taken = slots[from] ?? 0
      if (taken === 0) continue
      let slot = number & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = taken
      this.#numbers[slot] = number
    }
  }
}
