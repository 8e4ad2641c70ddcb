import { candidatesOf } from './candidates.ts'
import { commonBytes } from '../lib/common-bytes.ts'
import { commonItems } from '../lib/common-items.ts'
import type { CooperativeWork } from '../lib/cooperative.ts'
import { type ChangedRegion, changedRegion } from './common-ends.ts'
import { compact, type CompactionRules, type Sliding } from './compaction.ts'
import { EXACT, WITHOUT_SPACE } from './comparison.ts'
import { intern, type Interned, internFew } from './interning.ts'
import {
  knownLines,
  type LineRange,
  type Lines,
  noteLines,
  splitLike,
  splitLines,
} from './lines.ts'
import { markDifferences } from './myers.ts'

/** Lines of `before` replaced by lines of `after`; one of the two may be empty. */
export interface ChangedRange {
  readonly before: LineRange
  readonly after: LineRange
}

/** The operations that turn one text into another. Changes are in order and never touch. */
export interface EditScript {
  readonly before: Lines
  readonly after: Lines
  readonly changes: readonly ChangedRange[]
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

/** More lines than this are not compared, to bound the memory. */
const MAX_LINES = 12_000_000
/** Between the equal ends of long texts, the most lines that take little. */
const MAX_QUICK_LINES = 2_000

/** The differences of two texts: always a correct diff, and the smallest where that is cheap. */
export function editScript(
  before: Uint8Array,
  after: Uint8Array,
  options: DiffOptions = {},
): EditScript {
  const { region, ...texts } = split(before, after)
  if (isTrivial(region)) return { ...texts, changes: wholeRegion(region) }
  const comparison = options.whitespace === 'ignore' ? WITHOUT_SPACE : EXACT
  const rules = { comparison, sliding: options.sliding ?? 'by-indentation' }
  return { ...texts, changes: compare(texts, region, intern(texts, region, comparison), rules) }
}

/**
 * The differences of long texts in steps where they take little: the lines of the first are known, and few
 * lines lie between the equal ends. Null for others.
 */
export function* quickScript(
  before: Uint8Array,
  after: Uint8Array,
  options: DiffOptions = {},
): CooperativeWork<EditScript | null> {
  if (knownLines(before) === null || options.whitespace === 'ignore') return null
  const { region, ...texts } = split(before, after)
  if (haveMany(region)) return null
  noteLines(after, texts.after)
  if (isTrivial(region)) return { ...texts, changes: wholeRegion(region) }
  yield
  const ids = yield* internFew(texts, region)
  const rules = { comparison: EXACT, sliding: options.sliding ?? 'by-indentation' }
  return { ...texts, changes: compare(texts, region, ids, rules) }
}

/** The cheapest correct diff: everything between the equal ends is replaced. */
export function coarseScript(before: Uint8Array, after: Uint8Array): EditScript {
  const { region, ...texts } = split(before, after)
  return { ...texts, changes: wholeRegion(region) }
}

function split(before: Uint8Array, after: Uint8Array): Texts & { readonly region: ChangedRegion } {
  const common = commonBytes(before, after)
  const linesBefore = knownLines(before) ?? splitLines(plain(before))
  const linesAfter = splitLike(linesBefore, plain(after), common)
  const region = changedRegion(linesBefore, linesAfter, common)
  return { before: linesBefore, after: linesAfter, region }
}

function compare(
  texts: Texts,
  region: ChangedRegion,
  ids: Interned,
  rules: CompactionRules,
): ChangedRange[] {
  const before = { lines: texts.before, changed: new Uint8Array(texts.before.count) }
  const after = { lines: texts.after, changed: new Uint8Array(texts.after.count) }
  // Lines that are equal without having the same bytes can be at the ends of the region.
  const { prefix, suffix } = commonItems(ids.before, ids.after)
  markDifferences(
    candidatesOf({
      ids: ids.before.subarray(prefix, ids.before.length - suffix),
      offset: region.before.start + prefix,
      changed: before.changed,
      partners: ids.counts.after,
    }),
    candidatesOf({
      ids: ids.after.subarray(prefix, ids.after.length - suffix),
      offset: region.after.start + prefix,
      changed: after.changed,
      partners: ids.counts.before,
    }),
  )
  compact(before, after, region.before, rules)
  compact(after, before, region.after, rules)
  return changesOf(before.changed, after.changed)
}

/** The script when there is nothing to compare, or too much. */
function isTrivial({ before, after }: ChangedRegion): boolean {
  const beforeCount = before.end - before.start
  const afterCount = after.end - after.start
  return beforeCount + afterCount > MAX_LINES || (beforeCount === 0 && afterCount === 0)
}

function haveMany({ before, after }: ChangedRegion): boolean {
  return before.end - before.start + after.end - after.start > MAX_QUICK_LINES
}

function wholeRegion(region: ChangedRegion): ChangedRange[] {
  const { before, after } = region
  return before.start === before.end && after.start === after.end ? [] : [region]
}

function changesOf(before: Uint8Array, after: Uint8Array): ChangedRange[] {
  const changes: ChangedRange[] = []
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
