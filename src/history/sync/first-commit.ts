import { join } from 'node:path'
import { CommitSha } from '../../core/revision.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import type { FsPromises } from '../../storage/fs-promises.ts'
import type { Committer } from './committer.ts'
import type { GitRepository } from '../repository/git-repository.ts'
import type { ChangeGround, Prepare } from '../revision/prepared-change.ts'
import type { LiveFile, LiveFileState } from './live-file.ts'
import { describeProblems } from '../revision/problems.ts'
import type { RepositoryFolder } from '../repository/repository-folder.ts'
import { type ServiceError, unavailable } from '../../core/errors.ts'
import type { Problem } from '../../core/problem.ts'
import { readReflog, type ReflogEntry } from '../../git/reflog.ts'

export interface FirstCommitOptions {
  readonly fs: FsPromises
  readonly folder: RepositoryFolder
  readonly repository: GitRepository
  readonly live: LiveFile
  readonly committer: Committer
  readonly prepare: Prepare
  readonly firstDocument: () => Uint8Array<ArrayBuffer>
}

/** A repository without commits has at most the objects of interrupted attempts. */
const MAX_LOOSE_FOLDERS = 16

const UPGRADE = 'Upgrade'

const NOTHING_BEFORE: ChangeGround = { findBeside: async () => null, message: '' }

/**
 * Gives a branch without commits its first one: the live file, or the first document where there
 * is none. A first commit that a crash interrupted is completed.
 *
 * @throws {ServiceError} `unavailable` when the repository has had commits, which must not be
 * hidden behind a new history, or the live file is not valid.
 */
export async function commitFirst(options: FirstCommitOptions, branch: string): Promise<void> {
  const store = { fs: options.fs, gitDir: options.folder.gitDir }
  const moves = await readReflog(store, branch)
  if (moves.length > 0) return completeFirst(options, { branch, moves })
  await assertNeverCommitted(options, branch)
  const live = await options.live.read()
  const document = live.kind === 'absent' ? options.firstDocument() : bytesOf(options, live)
  await commitAs(options, { branch, parent: null, live, document })
}

/**
 * Commits the live file to a branch that has commits, none of them with a valid configuration.
 *
 * @throws {ServiceError} `unavailable` when there is no live file, or it is not valid.
 */
export async function commitAdopted(
  options: FirstCommitOptions,
  { branch, parent }: { branch: string; parent: CommitSha },
): Promise<void> {
  const live = await options.live.read()
  const document = live.kind === 'absent' ? null : bytesOf(options, live)
  if (document !== null) return commitAs(options, { branch, parent, live, document })
  throw noConfiguration(branch, options.live.path)
}

/** The error for a branch that has commits, but no configuration to begin with. */
export function noConfiguration(branch: string, path: string): ServiceError {
  return unavailable(`No commit of ${branch} has a valid configuration in ${path}`)
}

/** The error for a live file that nothing can begin with. */
export function invalidLiveFile(path: string, problems: readonly Problem[]): ServiceError {
  return unavailable(`${path} is not valid: ${describeProblems(problems)}`)
}

interface FirstRevision {
  readonly branch: string
  readonly parent: CommitSha | null
  readonly live: LiveFileState
  readonly document: Uint8Array<ArrayBuffer>
}

async function commitAs(options: FirstCommitOptions, first: FirstRevision): Promise<void> {
  const origin = { door: 'adoption', author: UPGRADE } as const
  const prepared = await options.prepare(first.document, null, origin, NOTHING_BEFORE)
  if (!prepared.ok) throw invalidLiveFile(options.live.path, prepared.problems)
  const committed = await options.committer.commit({
    ...first,
    changes: [{ ...prepared, ...origin, message: '' }],
    hasInvalidEdit: false,
  })
  if (committed === null) throw unavailable(`${options.live.path} is being changed by others`)
}

function bytesOf(
  { live: { path } }: FirstCommitOptions,
  live: LiveFileState,
): Uint8Array<ArrayBuffer> {
  if (live.kind === 'file') return live.bytes
  throw unavailable(`${path} is not a file`)
}

async function assertNeverCommitted(
  { fs, folder: { gitDir } }: FirstCommitOptions,
  branch: string,
): Promise<void> {
  const [heads, packs, objects, packedRefs] = await Promise.all([
    namesIn(fs, join(gitDir, 'refs', 'heads')),
    namesIn(fs, join(gitDir, 'objects', 'pack')),
    namesIn(fs, join(gitDir, 'objects')),
    orNullWhenAbsent(fs.stat(join(gitDir, 'packed-refs'))),
  ])
  const isNew =
    heads.length === 0 &&
    packs.length === 0 &&
    objects.length <= MAX_LOOSE_FOLDERS &&
    packedRefs === null
  if (isNew) return
  throw unavailable(`The branch ${branch} has no commits, but the repository ${gitDir} has a past`)
}

/** The reflog is written before the branch moves: a single entry is the interrupted first commit. */
async function completeFirst(
  { repository, folder }: FirstCommitOptions,
  { branch, moves }: { branch: string; moves: readonly ReflogEntry[] },
): Promise<void> {
  const commit = CommitSha.safeParse(moves.at(-1)?.to).data ?? null
  const record = moves.length === 1 && commit ? await repository.reader.findCommit(commit) : null
  const move = record && {
    branch,
    parent: null,
    commits: [{ ...record, commit: record.sha }] as const,
  }
  if (move === null || !(await repository.moveBranch(move))) {
    throw unavailable(
      `The branch ${branch} of ${folder.gitDir} is lost; it was at commit ${commit}`,
    )
  }
}

async function namesIn(fs: FsPromises, folder: string): Promise<readonly string[]> {
  return (await orNullWhenAbsent(fs.readdir(folder))) ?? []
}
