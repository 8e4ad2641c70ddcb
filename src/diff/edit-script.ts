import { candidatesOf, occurrences } from './candidates.ts'
import { type Region, changedRegion } from './common-ends.ts'
import { compact, type Sliding } from './compaction.ts'
import { EXACT, WITHOUT_SPACE } from './comparison.ts'
import { intern } from './interning.ts'
import { type LineRange, type Lines, splitLines } from './lines.ts'
import { markDifferences } from './myers.ts'

/** Lines of `before` replaced by lines of `after`; one of the two may be empty. */
export interface Change {
  readonly before: LineRange
  readonly after: LineRange
}

/** The operations that turn one text into another. Changes stand in order and never touch. */
export interface EditScript {
  readonly before: Lines
  readonly after: Lines
  readonly changes: readonly Change[]
}

export interface DiffOptions {
  /** `ignore`: lines that differ in white space only are equal. */
  readonly whitespace?: 'keep' | 'ignore'
  readonly sliding?: Sliding
}

interface Texts {
  readonly before: Lines
  readonly after: Lines
}

/** More lines than this are not compared: the memory that takes is bounded too. */
const MOST_LINES = 12_000_000

/** The differences of two texts: always a correct diff, and the smallest where that is cheap. */
export function editScript(
  before: Uint8Array,
  after: Uint8Array,
  options: DiffOptions = {},
): EditScript {
  const texts = { before: splitLines(plain(before)), after: splitLines(plain(after)) }
  const region = changedRegion(texts.before, texts.after)
  if (isTrivial(region)) return { ...texts, changes: wholeRegion(region) }
  return { ...texts, changes: compare(texts, region, options) }
}

/** The cheapest correct diff: everything between the equal ends is replaced. */
export function coarseScript(before: Uint8Array, after: Uint8Array): EditScript {
  const texts = { before: splitLines(plain(before)), after: splitLines(plain(after)) }
  return { ...texts, changes: wholeRegion(changedRegion(texts.before, texts.after)) }
}

function compare(texts: Texts, region: Region, options: DiffOptions): Change[] {
  const comparison = options.whitespace === 'ignore' ? WITHOUT_SPACE : EXACT
  const ids = intern(texts, region, comparison)
  const before = { lines: texts.before, changed: new Uint8Array(texts.before.count) }
  const after = { lines: texts.after, changed: new Uint8Array(texts.after.count) }
  markDifferences(
    candidatesOf({
      ids: ids.before,
      offset: region.before.start,
      changed: before.changed,
      partners: occurrences(ids.after, ids.size),
    }),
    candidatesOf({
      ids: ids.after,
      offset: region.after.start,
      changed: after.changed,
      partners: occurrences(ids.before, ids.size),
    }),
  )
  const rules = { comparison, sliding: options.sliding ?? 'by-indentation' }
  compact(before, after, region.before, rules)
  compact(after, before, region.after, rules)
  return changesOf(before.changed, after.changed)
}

/** There is nothing to compare, or too much. */
function isTrivial({ before, after }: Region): boolean {
  const beforeCount = before.end - before.start
  const afterCount = after.end - after.start
  return beforeCount + afterCount > MOST_LINES || (beforeCount === 0 && afterCount === 0)
}

function wholeRegion(region: Region): Change[] {
  const { before, after } = region
  return before.start === before.end && after.start === after.end ? [] : [region]
}

function changesOf(before: Uint8Array, after: Uint8Array): Change[] {
  const changes: Change[] = []
  let line = 0
  let other = 0
  while (line < before.length || other < after.length) {
    const start = line
    const otherStart = other
    while (before[line] === 1) line += 1
    while (after[other] === 1) other += 1
    if (line > start || other > otherStart) {
      changes.push({
        before: { start, end: line },
        after: { start: otherStart, end: other },
      })
    }
    line += 1
    other += 1
  }
  return changes
}

/** Views of one class keep the inner loops fast, whether a Buffer came in or not. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}
