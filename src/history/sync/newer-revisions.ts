import type { CommitSha, Revision } from '../../core/revision.ts'
import type { ObjectReader } from '../../git/object-reader.ts'
import type { RevisionIndex } from '../index/revision-index.ts'

/**
 * The revisions that are not in the history of a commit, oldest first, or null when the repository
 * does not have it.
 *
 * In a straight history these are the ones above it. Beside a merge, and when the commit was taken
 * out of the history, only git can tell.
 */
export async function listNewer(
  { index, reader }: { index: RevisionIndex; reader: ObjectReader },
  commit: CommitSha,
): Promise<readonly Revision[] | null> {
  const number = index.numberOf(commit)
  if (number !== null && index.isCut(commit)) {
    return index.list({ offset: 0, limit: index.size() - number }).toReversed()
  }
  const tip = index.tip()
  if (tip === null || (await reader.findCommit(commit)) === null) return null
  const newer: Revision[] = []
  for await (const { sha } of reader.listCommits({ from: tip, until: commit })) {
    const revision = index.findCommit(sha)
    if (revision !== null) newer.push(revision)
  }
  return newer.toReversed()
}
