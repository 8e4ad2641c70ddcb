import { DocumentMerge, type MergeLines } from './document-merge.ts'
import type { RenamedEdits } from './follow-renames.ts'
import { ConflictDecisions, type Decision, type MergeConflict } from './merge-conflict.ts'

/** Two edits of a document in one. */
export interface MergedDocument {
  /** Where the edits contradict each other and nothing else was decided, as they have it. */
  readonly text: string
  readonly conflicts: readonly MergeConflict[]
}

export interface MergeOptions {
  /** Of the conflicts, in their order. */
  readonly decided?: readonly Decision[]
}

/**
 * Merges two edits of a document by what its elements are, in steps. Conflicts are decided in their
 * order, as far as there are decisions.
 */
export function* mergeDocuments(
  { documents, left, followsLikely }: RenamedEdits,
  mergeLines: MergeLines,
  { decided = [] }: MergeOptions = {},
): Generator<unknown, MergedDocument> {
  const found = new ConflictDecisions()
  const deps = { mergeLines, followed: { renames: left, followsLikely } }
  const text = yield* new DocumentMerge(documents, { ...deps, decisions: found }).merge()
  const { conflicts, names } = found
  if (decided.length === 0 || conflicts.length === 0) return { text, conflicts }
  const decisions = new ConflictDecisions(
    new Map(names.map((name, n) => [name, decided[n] ?? 'theirs'])),
  )
  const again = new DocumentMerge(documents, { ...deps, decisions })
  return { text: yield* again.merge(), conflicts }
}
