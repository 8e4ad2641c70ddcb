import nodeFs from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Digest, digestOf } from '../core/digest.ts'
import { ServiceError, unavailable } from '../core/errors.ts'
import type { Revision } from '../core/revision.ts'
import { disk } from '../storage/disk.ts'
import { fsErrorCode } from '../storage/fs-error.ts'
import type { FsPromises } from '../storage/fs-promises.ts'
import { openProcessLock } from '../storage/process-lock.ts'
import { WriterQueue } from '../storage/writer-queue.ts'
import { BranchFollower } from './sync/branch-follower.ts'
import { Committer } from './sync/committer.ts'
import { commitAdopted, commitFirst, type FirstCommitOptions } from './sync/first-commit.ts'
import { GitRepository } from './repository/git-repository.ts'
import type { GitStore } from '../git/git-store.ts'
import type { HistoryOptions } from './history-options.ts'
import { IndexFile } from './index/revision-file.ts'
import { IndexKeeper } from './index/index-keeper.ts'
import { LiveFile } from './sync/live-file.ts'
import { GitExecutable } from '../git/git-executable.ts'
import { Maintenance } from './upkeep/maintenance.ts'
import { objectReaderWith } from '../git/open-object-reader.ts'
import { OtherFiles } from './sync/other-files.ts'
import { Problems } from './revision/problems.ts'
import { installPushHook } from './repository/push-hook.ts'
import { Reconciler } from './sync/reconciler.ts'
import {
  openRepositoryFolder,
  type RepositoryFolder,
  tidyRepositoryFolder,
} from './repository/repository-folder.ts'
import { completeSettings } from './repository/repository-settings.ts'
import type { RevisionIndex } from './index/revision-index.ts'
import { RevisionEvents } from './revision/revision-events.ts'
import { assertNotShallow } from './shallow.ts'

/** Everything that an open history is made of. */
export interface HistoryParts extends AsyncDisposable {
  readonly repository: GitRepository
  readonly keeper: IndexKeeper
  readonly reconciler: Reconciler
  readonly problems: Problems
  readonly news: RevisionEvents
  readonly queue: WriterQueue
  readonly maintenance: Maintenance
  /** Null where there is no git program that can be used. */
  readonly git: GitExecutable | null
  readonly watchedFolders: readonly string[]
  /** Milliseconds for which an edit on disk has to rest before it is taken. */
  readonly rest: number
}

export interface OpenedHistory {
  readonly parts: HistoryParts
  readonly current: Revision
}

/** Editors take less to write a file, and so does a `git commit` after the edit. */
const LONGEST_REST = 500

const UNUSABLE = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EEXIST', 'EIO']

/**
 * Opens the repository and brings branch, index and live file into agreement. Where they cannot be
 * and the index still knows revisions, these are served and writing waits.
 *
 * @throws {ServiceError} `unavailable`, with the reason.
 */
export async function openHistoryParts(options: HistoryOptions): Promise<OpenedHistory> {
  try {
    return await openLocked(options)
  } catch (error) {
    if (!UNUSABLE.includes(fsErrorCode(error) ?? '')) throw error
    const reason = error instanceof Error ? error.message : 'the file system refuses'
    throw unavailable(`The repository ${options.repository} cannot be used: ${reason}`, error)
  }
}

async function openLocked(options: HistoryOptions): Promise<OpenedHistory> {
  const { fs = disk, fs: pooledFs = nodeFs } = options
  const { programPath: path } = options
  const [folder, git] = await Promise.all([
    openRepositoryFolder({ ...options, fs }),
    path === null ? null : GitExecutable.find({ path }),
  ])
  const lock = await openProcessLock(join(folder.ownDir, 'lock'), options.report)
  const reader = await objectReaderWith(git, { fs: pooledFs, gitDir: folder.gitDir })
  const close = async () => {
    await reader[Symbol.asyncDispose]()
    await lock[Symbol.asyncDispose]()
  }
  try {
    await assertNotShallow({ fs, gitDir: folder.gitDir }, reader)
    const repository = new GitRepository({ fs, folder, reader }, options.fileName)
    return await openParts({ ...options, fs, pooledFs }, { folder, repository, git, close })
  } catch (error) {
    await close()
    throw error
  }
}

interface Ground {
  readonly folder: RepositoryFolder
  readonly repository: GitRepository
  readonly git: GitExecutable | null
  readonly close: () => Promise<void>
}

interface Options extends HistoryOptions {
  readonly fs: FsPromises
  /** For whoever looks at very many files. */
  readonly pooledFs: FsPromises
}

async function openParts(options: Options, ground: Ground): Promise<OpenedHistory> {
  const { fs, report } = options
  const { folder, repository } = ground
  const live = new LiveFile(fs, join(folder.path, options.fileName), options.largestDocument)
  const index = new IndexFile({ fs, path: join(folder.ownDir, 'revisions') }, options)
  const keeper = new IndexKeeper(index, { ...options, reader: repository.reader }, report)
  const [problems, news, rest] = [new Problems(report), new RevisionEvents(), restOf(options)]
  const committer = new Committer({ ...options, repository, keeper, live })
  const follower = new BranchFollower({ ...options, repository, keeper, problems, news })
  const shared = { ...options, folder, repository, keeper, live, committer, problems, follower }
  const onCommitted = (added: Revision) => news.emit({ added: [added], isRewritten: false })
  const stagedRest = options.pollInterval
  const { reader } = repository
  const otherFiles = new OtherFiles({ ...options, folder, reader, git: ground.git })
  const reconciler = new Reconciler({ ...shared, otherFiles, rest, stagedRest, onCommitted })
  await tidyRepositoryFolder(fs, { folder, livePath: live.path })
  await prepareForPushes(options, { fs, gitDir: folder.gitDir })
  await keeper.load()
  const current = await beginOrDegrade({ ...shared, reconciler })
  const watchedFolders = [...new Set([dirname(live.path), folder.gitDir, folder.headsDir])]
  const queue = new WriterQueue()
  const maintenance = openMaintenance(options, { ...ground, queue, news })
  const { git } = ground
  const parts = { repository, keeper, reconciler, problems, news, queue, maintenance, git }
  return {
    parts: { ...parts, watchedFolders, rest, [Symbol.asyncDispose]: ground.close },
    current,
  }
}

function openMaintenance(
  options: Options,
  { folder, repository, git, queue, news }: Ground & { queue: WriterQueue; news: RevisionEvents },
): Maintenance {
  const { clock, report, packWhen: limits } = options
  const store = { fs: options.pooledFs, gitDir: folder.gitDir }
  const shared = { git, store, reader: repository.reader, queue, clock, report }
  const maintenance = new Maintenance(limits ? { ...shared, limits } : shared)
  news.subscribe(({ added }) => maintenance.noteRevisions(added.length))
  return maintenance
}

async function prepareForPushes({ pushCheck, report }: Options, store: GitStore): Promise<void> {
  await completeSettings(store)
  if (!pushCheck || (await installPushHook(store, pushCheck))) return
  const message = 'The repository has a pre-receive hook of its own: pushes are not checked'
  report({ level: 'warning', message })
}

interface Beginning extends FirstCommitOptions {
  readonly keeper: IndexKeeper
  readonly reconciler: Reconciler
  readonly problems: Problems
}

async function beginOrDegrade(beginning: Beginning): Promise<Revision> {
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
 * Follows the branch, or begins it. Returns what the live file may have held when this service last
 * stopped: the newest document of the kept index, or one that came since. A power cut can take the
 * newest lines of the index, and leave the live file.
 */
async function begin(beginning: Beginning): Promise<ReadonlySet<Digest>> {
  const { repository, keeper } = beginning
  const held = await heldAt(beginning, keeper.index)
  const { branch, commit } = await repository.readHead()
  await repository.removeStaleLocks(branch)
  if (commit === null && branch !== null) await commitFirst(beginning, branch)
  if (commit === null) return new Set()
  const news = await keeper.follow(commit)
  if (branch !== null && keeper.index.current() === null) {
    await commitAdopted(beginning, { branch, parent: commit })
  }
  if (news.isReset || held.length === 0) return new Set()
  return new Set([...held, ...news.added.map(({ digest }) => digest)])
}

/** What the live file held when the index was kept: beside an invalid commit either that or the last valid document. */
async function heldAt({ repository }: Beginning, index: RevisionIndex): Promise<readonly Digest[]> {
  const [tip, current] = [index.tip(), index.current()]
  if (tip === null || current === null) return []
  if (tip === current.commit) return [current.digest]
  const invalid = await repository.findDocument(tip)
  return invalid === null ? [current.digest] : [current.digest, digestOf(invalid)]
}

function restOf({ pollInterval }: HistoryOptions): number {
  return Math.min(LONGEST_REST, pollInterval / 2)
}
