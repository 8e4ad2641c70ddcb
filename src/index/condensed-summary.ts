import type { EntityRenames } from '../document/compare/compare-entities.ts'
import type { DocumentChange, LineSpan as Lines } from '../document/entities/change.ts'
import {
  type Condensed,
  condensePair,
  type MemberScan,
  scanMembers,
} from '../document/changes/condense.ts'
import { type Comparable, summariseChanges } from '../document/changes/summarise-changes.ts'
import { readXml } from '../document/xml/xml-reader.ts'
import type { Span } from '../document/xml/xml-tree.ts'
import type { EditScript } from '../diff/edit-script.ts'
import type { LineRange } from '../diff/lines.ts'
import { bisect } from '../lib/bisect.ts'
import type { TextLines } from '../document/text/text-lines.ts'

/** Differences of more characters are not described: it would be expensive and unreadable. */
const MAX_CHARACTERS = 3_000_000

/**
 * Describes the differences between two documents, in small steps; null when there are too many. A
 * document without lines stands for a missing one.
 */
export function* condensedSummary(
  { before, after, changes }: EditScript,
  texts: { readonly before: TextLines; readonly after: TextLines },
  renames?: EntityRenames,
): Generator<unknown, readonly DocumentChange[] | null> {
  const scan = (side: 'before' | 'after') =>
    scanned(
      texts[side],
      changes.map((change) => change[side]),
    )
  const { before: old, after: now } = condensePair(scan('before'), scan('after'))
  if (old.text.length + now.text.length > MAX_CHARACTERS || after.count === 0) return null
  const older = before.count === 0 ? null : yield* comparable(old)
  const described = yield* summariseChanges(older, yield* comparable(now), renames)
  return described.map((change) => inWholeTexts(change, { old, now }))
}

/** Converts the line numbers of a condensed text to those of the whole text. */
function inWholeTexts(
  change: DocumentChange,
  { old, now }: Record<'old' | 'now', Condensed>,
): DocumentChange {
  const before = change.before && inWhole(change.before, old)
  const after = change.after && inWhole(change.after, now)
  const range = change.kind === 'removed' ? before : after
  return {
    ...change,
    ...(change.lines !== undefined && range && { lines: range.last - range.first + 1 }),
    ...(before && { before }),
    ...(after && { after }),
  }
}

function inWhole({ first, last }: Lines, { lineOf }: Condensed): Lines {
  return { first: lineOf(first), last: lineOf(last) }
}

/** A syntax error is reported with its line in the whole text. */
function* comparable({ text, lineOf }: Condensed): Generator<unknown, Comparable> {
  const reading = yield* readXml(Buffer.from(text))
  if (reading.ok) return reading
  const problems = reading.problems.map((problem) =>
    problem.line === undefined ? problem : { ...problem, line: lineOf(problem.line) },
  )
  return { problems }
}

function scanned({ text, starts }: TextLines, ranges: readonly LineRange[]): MemberScan {
  const spans = ranges.map(({ start, end }) => ({
    start: starts[start] ?? 0,
    end: starts[end] ?? 0,
  }))
  return scanMembers(text, (span) => isTouched(span, spans))
}

/** Whether any of the ordered spans intersects this one; an empty span has to be inside. */
function isTouched({ start, end }: Span, spans: readonly Span[]): boolean {
  const first = bisect({ high: spans.length }, (n) => (spans[n]?.end ?? 0) <= start)
  return (spans[first]?.start ?? Infinity) < end
}
