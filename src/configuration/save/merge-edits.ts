import type { EntityRenames } from '../../document/compare/compare-entities.ts'
import type { RenamedEdits } from '../../document/merge/follow-renames.ts'
import {
  mergeDocuments,
  type MergedDocument,
  type MergeOptions,
} from '../../document/merge/merge-documents.ts'
import type { MergeSides } from '../../document/merge/things.ts'
import { mergeTexts } from '../../diff/merge.ts'

/**
 * Merges the bytes of two edits of a document, without blocking the event loop; null where one is not readable XML.
 * The renames in theirs that the history knows are given, others are recognised.
 */
export type MergeDocuments = (
  documents: MergeSides<Uint8Array>,
  known: EntityRenames,
) => Promise<MergedDocument | null>

/**
 * Merges two edits of a document by what its elements are, in steps; texts and comments by lines.
 * Conflicts are decided in their order, as far as there are decisions.
 */
export function mergeEdits(
  edits: RenamedEdits,
  options?: MergeOptions,
): Generator<unknown, MergedDocument> {
  return mergeDocuments(edits, mergeLines, options)
}

function mergeLines({ base, ours, theirs }: MergeSides<string>): string | null {
  const merge = mergeTexts({
    base: Buffer.from(base),
    ours: Buffer.from(ours),
    theirs: Buffer.from(theirs),
  })
  return merge.clean ? merge.merged.toString() : null
}
