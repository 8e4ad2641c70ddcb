import type { XmlDocument } from '../xml/xml-reader.ts'
import type { Span, XmlElement } from '../xml/xml-tree.ts'
import type { DocumentChange, LineSpan } from '../entities/change.ts'

/** A comparison of two documents, which reports their differences. */
export interface ComparisonScope {
  readonly before: XmlDocument
  readonly after: XmlDocument
  /** The elements that are entities of their own, in both documents. */
  readonly entities: ReadonlySet<XmlElement>
  /** The elements that have any of them inside. */
  readonly holders: ReadonlySet<XmlElement>
  readonly report: (change: DocumentChange) => void
  /** Whether there are so many changes that entities are compared no further. */
  readonly isLong: () => boolean
}

/** The entity whose changes are being reported; it is long when it has many of them. */
export interface Scope extends ComparisonScope {
  readonly entity: string
  readonly label: string
}

/** After so many changes, what follows is only reported as changed. */
export const MAX_DETAILED_CHANGES = 1_000

/** The scope of an entity, and how many changes it has reported. */
export function scopeOf(
  documents: ComparisonScope,
  named: Pick<Scope, 'entity' | 'label'>,
): Scope & { readonly changes: () => number } {
  let changes = 0
  const report = (change: DocumentChange): void => {
    changes += 1
    documents.report(change)
  }
  const isLong = () => changes >= MAX_DETAILED_CHANGES
  return { ...documents, ...named, report, isLong, changes: () => changes }
}

/** One element before and after. */
export interface Pair {
  readonly before: XmlElement
  readonly after: XmlElement
}

export function rangeOf({ lines }: XmlDocument, { start, end }: Span): LineSpan {
  const first = lines.positionOf(start).line
  return { first, last: Math.max(first, lines.positionOf(Math.max(start, end - 1)).line) }
}

/** The lines of a pair in both documents. */
export function rangesOf(
  documents: ComparisonScope,
  spans: { readonly before?: Span | undefined; readonly after?: Span | undefined },
): { before?: LineSpan; after?: LineSpan } {
  return {
    ...(spans.before ? { before: rangeOf(documents.before, spans.before) } : {}),
    ...(spans.after ? { after: rangeOf(documents.after, spans.after) } : {}),
  }
}

/** The number of lines, where it is worth reporting. */
export function lineCount({ first, last }: LineSpan): { lines?: number } {
  return last > first ? { lines: last - first + 1 } : {}
}

/** Whether two elements have identical texts. */
export function isWrittenAlike(
  { before, after }: Pick<ComparisonScope, 'before' | 'after'>,
  pair: Pair,
): boolean {
  const [one, other] = [pair.before.span, pair.after.span]
  if (one.end - one.start !== other.end - other.start) return false
  return before.source.slice(one.start, one.end) === after.source.slice(other.start, other.end)
}
