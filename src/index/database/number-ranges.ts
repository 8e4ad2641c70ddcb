/** The whole numbers from `low` to `high`, both included. */
export interface Range {
  readonly low: number
  readonly high: number
}

/** Whole numbers, of which most follow each other. */
export class NumberRanges {
  /** Ascending, with at least one number between two of them. */
  #ranges: readonly Range[]

  /** @param ranges That do not touch each other. */
  constructor(ranges: readonly Range[] = []) {
    this.#ranges = ranges.toSorted((one, other) => one.low - other.low)
  }

  /** Highest first. */
  descending(): readonly Range[] {
    return this.#ranges.toReversed()
  }

  has(number: number): boolean {
    return this.#ranges.some(({ low, high }) => low <= number && number <= high)
  }

  /** How many of them are within other ones. */
  countWithin(range: Range): number {
    return this.#ranges.reduce((sum, each) => {
      const [low, high] = [Math.max(each.low, range.low), Math.min(each.high, range.high)]
      return sum + Math.max(0, high - low + 1)
    }, 0)
  }

  /** The highest of those within a range that follow each other and are not here; null when all are. */
  highestGap({ low, high }: Range): Range | null {
    let end = high
    for (const range of this.descending()) {
      if (range.low > end) continue
      if (range.high < end)
        return end < low ? null : { low: Math.max(low, range.high + 1), high: end }
      end = range.low - 1
    }
    return end < low ? null : { low, high: end }
  }

  add({ low, high }: Range): void {
    const isApart = (each: Range) => each.high < low - 1 || each.low > high + 1
    const joined = this.#ranges.filter((each) => !isApart(each))
    const whole = {
      low: Math.min(low, ...joined.map((each) => each.low)),
      high: Math.max(high, ...joined.map((each) => each.high)),
    }
    this.#ranges = [...this.#ranges.filter(isApart), whole].toSorted(
      (one, other) => one.low - other.low,
    )
  }

  remove({ low, high }: Range): void {
    this.#ranges = this.#ranges.flatMap((each) =>
      [
        { low: each.low, high: Math.min(each.high, low - 1) },
        { low: Math.max(each.low, high + 1), high: each.high },
      ].filter((rest) => rest.low <= rest.high),
    )
  }
}
