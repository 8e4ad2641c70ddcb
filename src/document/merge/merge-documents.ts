import type { XmlDocument } from '../xml/xml-reader.ts'
import { DocumentMerge, type MergeLines } from './document-merge.ts'
import { ConflictDecisions, type Decision, type MergeConflict } from './merge-conflict.ts'
import type { MergeSides } from './things.ts'

/** Two edits of a document in one. */
export interface MergedDocument {
  /** Where the edits contradict each other and nothing else was decided, as they have it. */
  readonly text: string
  readonly conflicts: readonly MergeConflict[]
}

/**
 * Merges two edits of a document by what its elements are, in steps. Conflicts are decided in their
 * order, as far as there are decisions.
 */
export function* mergeDocuments(
  documents: MergeSides<XmlDocument>,
  mergeLines: MergeLines,
  decided: readonly Decision[] = [],
): Generator<unknown, MergedDocument> {
  const found = new ConflictDecisions()
  const text = yield* new DocumentMerge(documents, { decisions: found, mergeLines }).merge()
  const { conflicts, names } = found
  if (decided.length === 0 || conflicts.length === 0) return { text, conflicts }
  const decisions = new ConflictDecisions(
    new Map(names.map((name, n) => [name, decided[n] ?? 'theirs'])),
  )
  const again = new DocumentMerge(documents, { decisions, mergeLines })
  return { text: yield* again.merge(), conflicts }
}
