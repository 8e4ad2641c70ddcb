import { Readable } from 'node:stream'
import type { CommitSha } from '../../core/revision.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import { runGit, tryGit } from '../../git/run-git.ts'
import type { RevisionLog } from './revision-log.ts'

/** A repository, and the git program that works on it. */
export interface PackStore {
  readonly git: GitExecutable
  readonly gitDir: string
}

/**
 * Makes a move of the branch final, whose objects are on disk already. False, without any change,
 * when another move was faster.
 */
export type Publish = (move: {
  readonly from: CommitSha | null
  readonly to: CommitSha
}) => Promise<boolean>

/** Publishes moves in a log. */
export function publishIn(log: RevisionLog, store: PackStore): Publish {
  return async ({ from, to }) => log.append({ from, to, pack: await packBetween(store, from, to) })
}

/** The objects that a commit has and another one has not; deltas may begin from objects of the latter. */
async function packBetween(
  { git, gitDir }: PackStore,
  from: CommitSha | null,
  to: CommitSha,
): Promise<Uint8Array> {
  const args = ['pack-objects', '--revs', '--thin', '--delta-base-offset', '--stdout', '-q']
  const input = from === null ? `${to}\n` : `${to}\n^${from}\n`
  return runGit(git, gitDir, args, { input })
}

/** Adds the objects of a pack to the repository. */
export async function addPack({ git, gitDir }: PackStore, pack: Uint8Array): Promise<void> {
  const args = ['index-pack', '--stdin', '--fix-thin', '--strict']
  await runGit(git, gitDir, args, { input: Readable.from([pack]) })
}

/** Whether a commit is in the history of another; false when one of them is not there. */
export async function isAncestor(
  { git, gitDir }: PackStore,
  older: CommitSha,
  newer: CommitSha,
): Promise<boolean> {
  return (await tryGit(git, gitDir, ['merge-base', '--is-ancestor', older, newer])).isDone
}

/** Whether two commits have a common history. */
export async function areRelated(
  { git, gitDir }: PackStore,
  one: CommitSha,
  other: CommitSha,
): Promise<boolean> {
  return (await tryGit(git, gitDir, ['merge-base', one, other])).isDone
}

/** The newest commits of a history, newest first, along its first parents. */
export async function listNewest(
  { git, gitDir }: PackStore,
  commit: CommitSha,
  count: number,
): Promise<readonly string[]> {
  const args = ['rev-list', '--first-parent', `--max-count=${count}`, commit]
  return (await runGit(git, gitDir, args)).toString('latin1').trim().split('\n')
}
