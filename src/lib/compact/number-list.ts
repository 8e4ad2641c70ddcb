const FIRST = 4
/** The factor by which it grows when it is full. */
const GROWTH = 1.5

type NumberArray = Int32ArrayConstructor | Float64ArrayConstructor

/**
 * A list of numbers that grows: four bytes for each, which no collection of garbage looks at. They are
 * whole numbers of 32 bits, unless it is made for others.
 */
export class NumberList {
  readonly #Numbers: NumberArray
  #numbers: Int32Array | Float64Array
  #length = 0

  constructor(Numbers: NumberArray = Int32Array) {
    this.#Numbers = Numbers
    this.#numbers = new Numbers(FIRST)
  }

  get length(): number {
    return this.#length
  }

  at(place: number): number | undefined {
    return place < this.#length ? this.#numbers[place] : undefined
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = new this.#Numbers(Math.ceil(this.#length * GROWTH))
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#length] = number
    this.#length += 1
  }

  /** Drops the last one. */
  pop(): void {
    this.#length = Math.max(0, this.#length - 1)
  }

  /** A copy of those from `start` on, as `Array.prototype.slice` gives. */
  slice(start = 0, end = this.#length): readonly number[] {
    return Array.from(this.#numbers.subarray(start, Math.min(end, this.#length)))
  }

  /** The present numbers without a copy, for loops over all of them. */
  view(): Int32Array | Float64Array {
    return this.#numbers.subarray(0, this.#length)
  }
}
