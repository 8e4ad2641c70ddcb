import type { CommitSha } from '../../core/revision.ts'
import { isReachable } from '../../git/objects/commit-walk.ts'
import type { ObjectReader } from '../../git/objects/object-reader.ts'
import type { GitStore } from '../../git/git-store.ts'
import { removeStaleRefLock, updateRef } from '../../git/ref-update.ts'
import { listNamesBelow } from '../../git/refs.ts'
import { SERVICE_COMMITTER } from '../revision/classify.ts'

/** The refs of commits that the branch was taken from; each is named after its commit. */
export const DROPPED = 'refs/cairn/dropped/'

/** The branch left a commit for one that does not descend from it. */
export interface BranchRewrite {
  readonly former: CommitSha
  readonly head: CommitSha
}

/** The commits that the branch was taken from. */
export function listDropped(store: GitStore): Promise<readonly CommitSha[]> {
  return listNamesBelow(store, DROPPED)
}

/**
 * Creates a ref to the former commit of the branch, so that git retains it and its ancestors. Only
 * for the process that holds the repository. A commit that git has pruned, or that the branch still
 * has, gets no ref.
 *
 * @throws {ServiceError} `unavailable` when a git command holds the ref.
 */
export async function keepDropped(
  { store, reader }: { store: GitStore; reader: ObjectReader },
  { former, head }: BranchRewrite,
  time: number,
): Promise<void> {
  if ((await reader.findCommit(former)) === null) return
  if (await isReachable(reader, former, head)) return
  const ref = `${DROPPED}${former}`
  const who = { ...SERVICE_COMMITTER, time }
  await removeStaleRefLock(store, ref)
  await updateRef(store, { ref, expected: null, next: former, who, reason: 'dropped' })
}
