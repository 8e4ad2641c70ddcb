import type { CommitSha, Revision } from '../../core/revision.ts'
import type { ObjectReader } from '../../git/objects/object-reader.ts'
import type { Archived } from '../record/archive-record.ts'
import type { RevisionIndex } from '../index/revision-index.ts'

/**
 * Lists the revisions that are not in the history of a commit, oldest first; null when the
 * repository lacks the commit.
 *
 * In a linear history these are the newer ones. With merges, and for a commit outside of the
 * history, git has to walk the graph.
 */
export async function listNewer(
  {
    index,
    reader,
    archived = null,
  }: { index: RevisionIndex; reader: ObjectReader; archived?: Archived | null },
  commit: CommitSha,
): Promise<readonly Revision[] | null> {
  if (commit === archived?.last) return index.list({ offset: 0, limit: index.kept() }).toReversed()
  const number = index.numberOf(commit)
  if (number !== null && index.isClosed(commit)) {
    return index.list({ offset: 0, limit: index.size() - number }).toReversed()
  }
  const tip = index.tip()
  if (tip === null || (await reader.findCommit(commit)) === null) return null
  const newer: Revision[] = []
  for await (const commits of reader.listCommits({ from: tip, until: commit })) {
    for (const { sha } of commits) {
      const revision = index.findCommit(sha)
      if (revision !== null) newer.push(revision)
    }
  }
  return newer.toReversed()
}
