import { type Digest, digestOf } from '../core/digest.ts'
import { ServiceError } from '../core/errors.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import { allCommits, isReachable } from '../git/objects/commit-walk.ts'
import type { IndexKeeper } from './index/index-keeper.ts'
import type { RevisionIndex } from './index/revision-index.ts'
import type { GitRepository } from './repository/git-repository.ts'
import type { Problems } from './revision/problems.ts'
import { commitAdopted, commitFirst, type FirstCommitOptions } from './sync/first-commit.ts'
import type { NativeCommits } from './sync/native-commits.ts'
import type { Reconciler, ReconcilerOptions } from './sync/reconciler.ts'
import type { RefusedCommits } from './sync/refused-commits.ts'

interface Beginning extends FirstCommitOptions {
  readonly keeper: IndexKeeper
  readonly reconciler: Reconciler
  readonly problems: Problems
  readonly native: NativeCommits
  readonly refused: RefusedCommits
}

/** A start ends here when the log cannot be followed: the repository may be out of date. */
export async function followFirst(
  options: Pick<Beginning, 'repository' | 'keeper' | 'live'> &
    Pick<ReconcilerOptions, 'follow' | 'takeMovedFrom'>,
): Promise<void> {
  const { repository, keeper, live, follow, takeMovedFrom } = options
  live.assumeOurs(await heldAt(options, keeper.index))
  await repository.recover(await repository.readHead())
  await follow()
  // A start brings the files to the branch wherever it was.
  takeMovedFrom()
}

/**
 * Begins the branch, or moves the index and the live file to it. While the repository cannot be written to,
 * the history is what the stored index has.
 */
export async function beginOrDegrade(beginning: Beginning): Promise<Revision> {
  const { keeper, reconciler, problems } = beginning
  try {
    beginning.live.assumeOurs(await begin(beginning))
    return (await reconciler.reconcile()).current
  } catch (error) {
    const current = keeper.index.current()
    const isKnown = error instanceof ServiceError && error.code === 'unavailable'
    if (!isKnown || current === null) throw error
    problems.raise({ kind: 'repository', message: error.message, problems: [] })
    return current
  }
}

/**
 * Moves the index to the branch, or begins the branch. Returns the documents that the live file may
 * have held when the service last stopped: the newest of the stored index, or a later one. A power
 * cut can lose the newest lines of the index and keep the live file.
 */
async function begin(beginning: Beginning): Promise<ReadonlySet<Digest>> {
  const { repository, keeper } = beginning
  const held = await heldAt(beginning, keeper.index)
  const { branch, commit } = await repository.readHead()
  await repository.recover({ branch, commit })
  if (commit === null && branch !== null) await commitFirst(beginning, branch)
  if (commit === null) return new Set()
  await beginning.refused.show()
  const own = await ownCommit(beginning, { branch, commit })
  const events = await keeper.moveTo(own)
  if (branch !== null && keeper.index.current() === null) {
    await commitAdopted(beginning, { branch, parent: commit })
  }
  if (events.isReset || held.length === 0) return new Set()
  if (!(await isReachable(repository.reader, own, commit))) return new Set()
  // A crash may have put the branch back and not the live file, or brought that to a commit that is yet to be judged.
  const refused = await beginning.refused.list()
  const unseen = await allCommits(repository.reader, { from: commit, until: own })
  const others = [...refused.map((each) => each.commit), ...unseen.map(({ sha }) => sha)]
  const added = events.added.map(({ digest }) => digest)
  return new Set([...held, ...added, ...(await digestsAt(repository, others))])
}

/** The commit to which the index goes unasked: commits that git has made since are judged by the next look. */
async function ownCommit(
  { keeper, native }: Pick<Beginning, 'keeper' | 'native'>,
  { branch, commit: to }: { readonly branch: string | null; readonly commit: CommitSha },
): Promise<CommitSha> {
  const from = keeper.index.tip()
  return (branch === null ? null : await native.findOwn({ branch, from, to })) ?? to
}

/** The digests of the documents that commits have. */
async function digestsAt(
  repository: GitRepository,
  commits: readonly CommitSha[],
): Promise<readonly Digest[]> {
  const digests: Digest[] = []
  for (const commit of commits) {
    const document = await repository.findForeignDocument(commit)
    if (document !== null) digests.push(digestOf(document))
  }
  return digests
}

/**
 * The content of the live file when the index was stored: beside an invalid commit, that commit's
 * document or the last valid one.
 */
async function heldAt(
  { repository }: Pick<Beginning, 'repository'>,
  index: RevisionIndex,
): Promise<readonly Digest[]> {
  const [tip, current] = [index.tip(), index.current()]
  if (tip === null || current === null) return []
  if (tip === current.commit) return [current.digest]
  const invalid = await repository.findDocument(tip)
  return invalid === null ? [current.digest] : [current.digest, digestOf(invalid)]
}
