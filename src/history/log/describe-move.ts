import { configurationChange, type NewAuditEntry } from '../../core/service/audit.ts'
import type { ChangeFacts } from '../../core/change-origin.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { allCommits } from '../../git/objects/commit-walk.ts'
import type { CommitRecord } from '../../git/objects/object-reader.ts'
import type { Clock } from '../../lib/clock.ts'
import type { GitRepository } from '../repository/git-repository.ts'
import { believe, type Classification, classify } from '../revision/classify.ts'

/**
 * Returns the entry of the audit log about a move; nothing when none of its commits is a revision.
 */
export type DescribeMove = (move: {
  readonly from: CommitSha
  readonly to: CommitSha
  /** Its revisions, oldest first, where each is a save. */
  readonly saved?: readonly Revision[] | undefined
  readonly facts?: readonly ChangeFacts[] | undefined
}) => Promise<readonly NewAuditEntry[]>

export interface MoveContext extends Classification {
  readonly repository: GitRepository
  readonly clock: Clock
}

/** Describes moves by each of their saves, and others by the newest of their revisions. */
export function describeMoves(context: MoveContext): DescribeMove {
  const { repository, clock } = context
  return async ({ from, to, saved, facts = [] }) => {
    if (saved) {
      return saved.map((revision, n) => ({
        time: clock(),
        ...configurationChange(revision, { commits: 1, facts: facts[n] }),
      }))
    }
    const commits = await listMove(repository, { from, to })
    for (const commit of commits) {
      const newest =
        believe(commit) ??
        (await classify(commit, await repository.findForeignDocument(commit.sha), context))
      if (newest === null) continue
      return [{ time: clock(), ...configurationChange(newest, { commits: commits.length }) }]
    }
    return []
  }
}

/** The commits of a move, newest first. */
async function listMove(
  { reader }: GitRepository,
  { from, to }: { readonly from: CommitSha; readonly to: CommitSha },
): Promise<readonly CommitRecord[]> {
  const newest = await reader.findCommit(to)
  const [parent, ...others] = newest?.parents ?? []
  if (newest !== null && parent === from && others.length === 0) return [newest]
  return allCommits(reader, { from: to, until: from })
}
