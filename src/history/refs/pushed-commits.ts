import type { Revision } from '../../core/revision.ts'
import { allCommits } from '../../git/objects/commit-walk.ts'
import type { CommitRange, ObjectReader } from '../../git/objects/object-reader.ts'
import type { RevisionIndex } from '../index/revision-index.ts'

/** A document that was pushed beside the branch. */
export interface PushedDocument {
  readonly document: Uint8Array<ArrayBuffer>
  /** The revision that it builds upon. */
  readonly base: Revision
  /** The message of the oldest commit of the push. */
  readonly message: string
}

/** The newest revision below new commits, and the message of the oldest; null where none is new, or below none. */
export async function pushedCommits(
  reader: ObjectReader,
  range: CommitRange,
  index: Pick<RevisionIndex, 'findCommit' | 'numberOf'>,
): Promise<Omit<PushedDocument, 'document'> | null> {
  const commits = await allCommits(reader, range)
  const own = new Set(commits.map(({ sha }) => sha))
  const [base] = commits
    .flatMap(({ parents }) => parents)
    .filter((parent) => !own.has(parent))
    .flatMap((parent) => index.findCommit(parent) ?? [])
    .toSorted(
      (one, other) => (index.numberOf(other.commit) ?? 0) - (index.numberOf(one.commit) ?? 0),
    )
  const oldest = commits.at(-1)
  return base && oldest ? { base, message: oldest.message } : null
}
