import type { Revision } from '../../core/revision.ts'
import type { CommitRecord, ObjectReader } from '../../git/objects/object-reader.ts'
import { findFileInTree } from '../../git/objects/tree-walk.ts'
import { believe, type Classification, classify } from './classify.ts'

/** How commits become revisions, and where their documents are. */
export interface CommitReading extends Classification {
  readonly reader: ObjectReader
  readonly fileName: string
}

/** The revision of a commit; its file is read only where the message is not believed. Null when it is none. */
export async function revisionOf(
  commit: CommitRecord,
  reading: CommitReading,
): Promise<Revision | null> {
  const believed = believe(commit)
  if (believed !== null) return believed
  const { reader, fileName: path } = reading
  const document = await findFileInTree(reader, { commit: commit.sha, path })
  return classify(commit, document, reading)
}
