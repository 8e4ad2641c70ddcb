import type { XmlDocument } from '../xml/xml-reader.ts'
import { DocumentMerge, type MergeLines } from './document-merge.ts'
import { ConflictDecisions, type Decision, type MergeConflict } from './merge-conflict.ts'
import type { MergeRenames, MergeSides } from './things.ts'

/** Two edits of a document in one. */
export interface MergedDocument {
  /** Where the edits contradict each other and nothing else was decided, as they have it. */
  readonly text: string
  readonly conflicts: readonly MergeConflict[]
}

export interface MergeOptions {
  /** Of the conflicts, in their order. */
  readonly decided?: readonly Decision[]
  /** The renames to be followed whatever else changed, and with them those that look like one. */
  readonly renames?: MergeRenames
}

/**
 * Merges two edits of a document by what its elements are, in steps. Conflicts are decided in their
 * order, as far as there are decisions.
 */
export function* mergeDocuments(
  documents: MergeSides<XmlDocument>,
  mergeLines: MergeLines,
  { decided = [], renames }: MergeOptions = {},
): Generator<unknown, MergedDocument> {
  const found = new ConflictDecisions()
  const deps = { mergeLines, renames: renames ?? null }
  const text = yield* new DocumentMerge(documents, { ...deps, decisions: found }).merge()
  const { conflicts, names } = found
  if (decided.length === 0 || conflicts.length === 0) return { text, conflicts }
  const decisions = new ConflictDecisions(
    new Map(names.map((name, n) => [name, decided[n] ?? 'theirs'])),
  )
  const again = new DocumentMerge(documents, { ...deps, decisions })
  return { text: yield* again.merge(), conflicts }
}
