import type { LineComparison } from './comparison.ts'
import { splitScore } from './indentation.ts'
import type { LineRange, Lines } from './lines.ts'

/** A text and the marks of its changed lines. */
export interface MarkedText {
  readonly lines: Lines
  readonly changed: Uint8Array
}

/** The position of a run of changed lines that could be in several places. */
export type Sliding = 'by-indentation' | 'down'

export interface CompactionRules {
  readonly comparison: LineComparison
  readonly sliding: Sliding
}

/** The longest slide that is judged by indentation. */
const FURTHEST_SLIDE = 100

/**
 * Slides each run of changed lines of `text` to the place where a reader expects it: joined with
 * its neighbours, beside a change of the other text, or else where the indentation suggests the
 * start of a block. The size of the diff stays the same.
 */
export function compact(
  text: MarkedText,
  other: MarkedText,
  region: LineRange,
  rules: CompactionRules,
): void {
  const gap = new Gap(text, region.start, rules.comparison)
  const otherGap = new Gap(other, region.start, rules.comparison)
  do {
    if (gap.end > gap.start) settle(gap, otherGap, rules.sliding)
    otherGap.next()
  } while (gap.next() && gap.start <= region.end)
}

function settle(gap: Gap, otherGap: Gap, sliding: Sliding): void {
  const { size, earliestEnd, besideOther } = slideBothWays(gap, otherGap)
  if (gap.end === earliestEnd) return
  if (besideOther) {
    while (otherGap.start === otherGap.end) slideUp(gap, otherGap)
    return
  }
  if (sliding === 'down') return
  const bestEnd = endByIndentation(gap, size, earliestEnd)
  while (gap.end > bestEnd) slideUp(gap, otherGap)
}

/** Slides up and then down as far as it goes, again when the run has grown by meeting another. */
function slideBothWays(gap: Gap, otherGap: Gap) {
  for (;;) {
    const size = gap.end - gap.start
    while (slideUp(gap, otherGap));
    const earliestEnd = gap.end
    let besideOther = otherGap.end > otherGap.start
    while (slideDown(gap, otherGap)) besideOther ||= otherGap.end > otherGap.start
    if (gap.end - gap.start === size) return { size, earliestEnd, besideOther }
  }
}

function slideUp(gap: Gap, otherGap: Gap): boolean {
  if (!gap.slideUp()) return false
  otherGap.previous()
  return true
}

function slideDown(gap: Gap, otherGap: Gap): boolean {
  if (!gap.slideDown()) return false
  otherGap.next()
  return true
}

function endByIndentation(gap: Gap, size: number, earliestEnd: number): number {
  const first = Math.max(earliestEnd, gap.end - size - 1, gap.end - FURTHEST_SLIDE)
  let best = { end: first, score: splitScore(gap.lines, { start: first - size, end: first }) }
  for (let end = first + 1; end <= gap.end; end++) {
    const score = splitScore(gap.lines, { start: end - size, end })
    if (score.compare(best.score) <= 0) best = { end, score }
  }
  return best.end
}

/**
 * The changed lines, often none, between two unchanged ones. Both texts have the
 * same number of gaps, since their unchanged lines go in pairs.
 */
class Gap {
  readonly lines: Lines
  start: number
  end: number
  readonly #changed: Uint8Array
  readonly #comparison: LineComparison

  constructor({ lines, changed }: MarkedText, start: number, comparison: LineComparison) {
    this.lines = lines
    this.#changed = changed
    this.#comparison = comparison
    this.start = start
    this.end = this.#endFrom(start)
  }

  next(): boolean {
    if (this.end === this.lines.count) return false
    this.start = this.end + 1
    this.end = this.#endFrom(this.start)
    return true
  }

  previous(): boolean {
    if (this.start === 0) return false
    this.end = this.start - 1
    this.start = this.#startFrom(this.end)
    return true
  }

  /** Moves one line up when the text reads the same, joining the run above when it touches. */
  slideUp(): boolean {
    if (this.start === 0 || !this.#same(this.start - 1, this.end - 1)) return false
    this.start -= 1
    this.end -= 1
    this.#changed[this.start] = 1
    this.#changed[this.end] = 0
    this.start = this.#startFrom(this.start)
    return true
  }

  slideDown(): boolean {
    if (this.end === this.lines.count || !this.#same(this.start, this.end)) return false
    this.#changed[this.start] = 0
    this.#changed[this.end] = 1
    this.start += 1
    this.end = this.#endFrom(this.end + 1)
    return true
  }

  #same(line: number, other: number): boolean {
    return this.#comparison.equal(this.lines, line, this.lines, other)
  }

  #startFrom(line: number): number {
    let start = line
    while (start > 0 && this.#changed[start - 1] === 1) start -= 1
    return start
  }

  #endFrom(line: number): number {
    let end = line
    while (this.#changed[end] === 1) end += 1
    return end
  }
}
