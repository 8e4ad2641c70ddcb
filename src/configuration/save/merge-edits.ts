import {
  mergeDocuments,
  type MergedDocument,
  type MergeOptions,
} from '../../document/merge/merge-documents.ts'
import type { MergeSides } from '../../document/merge/things.ts'
import type { XmlDocument } from '../../document/xml/xml-reader.ts'
import { mergeTexts } from '../../diff/merge.ts'

/**
 * Merges two edits of a document by what its elements are, in steps; texts and comments by lines.
 * Conflicts are decided in their order, as far as there are decisions.
 */
export function mergeEdits(
  documents: MergeSides<XmlDocument>,
  options?: MergeOptions,
): Generator<unknown, MergedDocument> {
  return mergeDocuments(documents, mergeLines, options)
}

function mergeLines({ base, ours, theirs }: MergeSides<string>): string | null {
  const merge = mergeTexts({
    base: Buffer.from(base),
    ours: Buffer.from(ours),
    theirs: Buffer.from(theirs),
  })
  return merge.clean ? merge.merged.toString() : null
}
