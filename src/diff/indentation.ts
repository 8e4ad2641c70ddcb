import { LINE_FEED, type LineRange, type Lines } from './lines.ts'

const BLANK = -1
const MAX_INDENT = 200
const MAX_BLANKS = 20

/**
 * Weights of git's indent heuristic, found by its authors on a corpus of diffs
 * judged by people. A negative weight favours a place.
 */
const WEIGHTS = {
  startOfText: 1,
  endOfText: 21,
  blankLine: -30,
  blankLineBelow: 6,
  deeper: -4,
  deeperAfterBlank: 10,
  shallowerOpening: 24,
  shallowerOpeningAfterBlank: 17,
  shallower: 23,
  shallowerAfterBlank: 17,
  indentAgainstPenalty: 60,
} as const

/** The penalty of a run of changed lines at some place; smaller is better. */
class SplitScore {
  readonly #indent: number
  readonly #penalty: number

  constructor(indent: number, penalty: number) {
    this.#indent = indent
    this.#penalty = penalty
  }

  compare(other: SplitScore): number {
    const byIndent = Math.sign(this.#indent - other.#indent) * WEIGHTS.indentAgainstPenalty
    return byIndent + this.#penalty - other.#penalty
  }
}

/** Judges the two places where such a run would cut the text: before its first line and after its last. */
export function splitScore(lines: Lines, { start, end }: LineRange): SplitScore {
  const above = judge(surroundings(lines, start))
  const below = judge(surroundings(lines, end))
  return new SplitScore(above.indent + below.indent, above.penalty + below.penalty)
}

/** The surroundings of the place before a line. Indents are columns, or BLANK where there is no such line. */
interface Surroundings {
  readonly endOfText: boolean
  readonly indent: number
  readonly indentAbove: number
  readonly blanksAbove: number
  readonly indentBelow: number
  readonly blanksBelow: number
}

function surroundings(lines: Lines, line: number): Surroundings {
  const above = nextIndent(lines, line, -1)
  const below = nextIndent(lines, line, 1)
  return {
    endOfText: line >= lines.count,
    indent: indentOf(lines, line),
    indentAbove: above.indent,
    blanksAbove: above.blanks,
    indentBelow: below.indent,
    blanksBelow: below.blanks,
  }
}

function judge(place: Surroundings): { readonly indent: number; readonly penalty: number } {
  const blanksBelow = place.indent === BLANK ? 1 + place.blanksBelow : 0
  const blanks = place.blanksAbove + blanksBelow
  const indent = place.indent === BLANK ? place.indentBelow : place.indent
  const atStart = place.indentAbove === BLANK && place.blanksAbove === 0
  const penalty =
    (atStart ? WEIGHTS.startOfText : 0) +
    (place.endOfText ? WEIGHTS.endOfText : 0) +
    blanks * WEIGHTS.blankLine +
    blanksBelow * WEIGHTS.blankLineBelow +
    stepPenalty(place, indent, blanks > 0)
  return { indent, penalty }
}

function stepPenalty(place: Surroundings, indent: number, afterBlank: boolean): number {
  const { indentAbove, indentBelow } = place
  if (indent === BLANK || indentAbove === BLANK || indent === indentAbove) return 0
  if (indent > indentAbove) return afterBlank ? WEIGHTS.deeperAfterBlank : WEIGHTS.deeper
  if (indentBelow !== BLANK && indentBelow > indent) {
    return afterBlank ? WEIGHTS.shallowerOpeningAfterBlank : WEIGHTS.shallowerOpening
  }
  return afterBlank ? WEIGHTS.shallowerAfterBlank : WEIGHTS.shallower
}

/**
 * The indent of the nearest line in one direction that is not blank, and the number of blank ones
 * in between.
 */
function nextIndent(lines: Lines, from: number, step: 1 | -1) {
  let blanks = 0
  for (let line = from + step; line >= 0 && line < lines.count; line += step) {
    const indent = indentOf(lines, line)
    if (indent !== BLANK) return { indent, blanks }
    blanks += 1
    if (blanks === MAX_BLANKS) return { indent: 0, blanks }
  }
  return { indent: BLANK, blanks }
}

function indentOf({ bytes, starts, count }: Lines, line: number): number {
  if (line < 0 || line >= count) return BLANK
  const end = starts[line + 1] ?? 0
  let indent = 0
  for (let at = starts[line] ?? 0; at < end; at++) {
    const byte = bytes[at]
    if (byte === 32) indent += 1
    else if (byte === 9) indent += 8 - (indent % 8)
    else if (byte !== LINE_FEED && byte !== 13) return indent
    if (indent >= MAX_INDENT) return MAX_INDENT
  }
  return BLANK
}
