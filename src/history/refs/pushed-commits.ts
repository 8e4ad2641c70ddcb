import type { CommitSha, Revision } from '../../core/revision.ts'
import { allCommits } from '../../git/objects/commit-walk.ts'
import type { CommitRange, ObjectReader } from '../../git/objects/object-reader.ts'

/** A document that was pushed beside the branch. */
export interface PushedDocument {
  readonly document: Uint8Array<ArrayBuffer>
  /** The revision that it builds upon. */
  readonly base: Revision
  /** The message of the oldest commit of the push. */
  readonly message: string
}

/** The commits below new ones, and the message of the oldest; null where none is new. */
export async function pushedCommits(
  reader: ObjectReader,
  range: CommitRange,
): Promise<{ readonly bases: readonly CommitSha[]; readonly message: string } | null> {
  const commits = await allCommits(reader, range)
  const own = new Set(commits.map(({ sha }) => sha))
  const oldest = commits.at(-1)
  if (oldest === undefined) return null
  const bases = commits.flatMap(({ parents }) => parents).filter((parent) => !own.has(parent))
  return { bases, message: oldest.message }
}
