import nodeFs from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ChangeFacts } from '../core/change-origin.ts'
import { unavailable } from '../core/errors.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import { LazyList } from '../lib/lazy-list.ts'
import { syncFs } from '../storage/sync-fs.ts'
import type { FsPromises } from '../storage/fs-promises.ts'
import { openProcessLock } from '../storage/process-lock.ts'
import { WriterQueue } from '../storage/writer-queue.ts'
import {
  type Archived,
  type ArchivedPart,
  archivedOf,
  followArchiveRecord,
} from './record/archive-record.ts'
import type { ServedArchives } from './archive/served-archives.ts'
import { BranchFollower } from './sync/branch-follower.ts'
import { Committer } from './sync/committer.ts'
import { beginOrDegrade, followFirst } from './begin-history.ts'
import { type BranchRewrite, keepDropped } from './dropped/dropped-refs.ts'
import { DroppedRevisions } from './dropped/dropped-revisions.ts'
import { GitRepository } from './repository/git-repository.ts'
import type { GitStore } from '../git/git-store.ts'
import { formatOfName, objectFormatOf, type ObjectFormat } from '../git/object-format.ts'
import type { HistoryOptions } from './history-options.ts'
import { IndexFile } from './index/index-file.ts'
import { IndexKeeper } from './index/index-keeper.ts'
import { describeMoves } from './log/describe-move.ts'
import { LogCompaction } from './log/log-compaction.ts'
import { LogFollower, type LogFollowerOptions } from './sync/log-follower.ts'
import { type Publish, publishIn } from './log/log-packs.ts'
import { LiveFile } from './sync/live-file.ts'
import { SideRefs } from './refs/side-refs.ts'
import { GitExecutable } from '../git/git-executable.ts'
import { Maintenance } from './upkeep/maintenance.ts'
import { objectReaderWith } from '../git/readers/open-object-reader.ts'
import { RevisionTags } from './tags/revision-tags.ts'
import { WorkTreeSync } from './sync/work-tree-sync.ts'
import { Problems } from './revision/problems.ts'
import { installPushHook } from './repository/push-hook.ts'
import { type Admit, NativeCommits } from './sync/native-commits.ts'
import { RefusedCommits } from './sync/refused-commits.ts'
import { Reconciler, type ReconcilerOptions } from './sync/reconciler.ts'
import {
  asUnusable,
  openRepositoryFolder,
  type RepositoryFolder,
  tidyRepositoryFolder,
} from './repository/repository-folder.ts'
import { sharedFs } from '../git/shared-repository.ts'
import { completeSettings } from './repository/repository-settings.ts'
import { assertNotShallow } from './repository/repository-shape.ts'
import { RevisionEvents } from './revision/revision-events.ts'
import type { ObjectReader } from '../git/objects/object-reader.ts'

export interface HistoryParts extends AsyncDisposable {
  readonly repository: GitRepository
  readonly keeper: IndexKeeper
  /** Revisions that the branch has lost. */
  readonly dropped: DroppedRevisions
  readonly reconciler: Reconciler
  /** Commits of git that the gate took back from the branch. */
  readonly refused: RefusedCommits
  readonly problems: Problems
  readonly events: RevisionEvents
  readonly queue: WriterQueue
  readonly maintenance: Maintenance
  /** The archived part of the history; null when there is none. */
  readonly archived: Archived | null
  /** Null without archives that are shown. */
  readonly archives: ServedArchives | null
  /** Null without a log. */
  readonly compaction: LogCompaction | null
  /** Null where there is no git program that can be used. */
  readonly git: GitExecutable | null
  readonly tags: RevisionTags
  /** The refs below a prefix, which lie beside the branch. */
  readonly openSideRefs: (prefix: string, followBranch: () => Promise<void>) => SideRefs
  readonly watchedFolders: readonly string[]
  /** Milliseconds for which an edit on disk has to stay unchanged before it is taken over. */
  readonly rest: number
}

export interface OpenedHistory {
  readonly parts: HistoryParts
  readonly current: Revision
}

/** Editors need less time to write a file, and so does a `git commit` after the edit. */
const MAX_REST_MS = 500

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
    throw asUnusable(error, options.repository)
  }
}

async function openLocked(options: HistoryOptions): Promise<OpenedHistory> {
  const { fs: base = syncFs, fs: pooledFs = nodeFs } = options
  const { programPath: path } = options
  const git = path === null ? null : await GitExecutable.find({ path })
  const logged = await findLoggedFormat(options)
  const objectFormat = logged ?? objectFormatOf(options.objectFormat ?? 'sha1')
  const folder = await openRepositoryFolder({ ...options, fs: base, objectFormat, git })
  const fs = await sharedFs(base, folder.gitDir)
  const lock = await openProcessLock(join(folder.ownDir, 'lock'), options.report)
  const reader = await objectReaderWith(git, { fs: pooledFs, gitDir: folder.gitDir })
  let archives: ServedArchives | null = null
  const close = async () => {
    await archives?.[Symbol.asyncDispose]()
    await reader[Symbol.asyncDispose]()
    await lock[Symbol.asyncDispose]()
  }
  try {
    assertSameFormat(reader, logged)
    const store = { fs, gitDir: folder.gitDir }
    const archivedParts = await followArchiveRecord({ store, reader })
    const archived = archivedOf(archivedParts)
    archives = await openArchives(archivedParts, options)
    if (archived !== null) assertNoLog(options)
    await assertNotShallow(store, reader)
    const repository = new GitRepository({ fs, folder, reader }, options.fileName)
    return await openParts(
      { ...options, fs, pooledFs, archived },
      { folder, repository, git, close, archives },
    )
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * The object format of the log, which a repository must have; null without a log or an entry in it.
 */
async function findLoggedFormat({ revisionLog }: HistoryOptions): Promise<ObjectFormat | null> {
  const head = (await revisionLog?.head()) ?? null
  return head && formatOfName(head.commit)
}

function assertSameFormat({ format }: ObjectReader, logged: ObjectFormat | null): void {
  if (logged === null || logged === format) return
  const what = `The repository has the object format ${format.name}, the history in the database ${logged.name}`
  throw unavailable(`${what}: start with an empty folder as --config-repo`)
}

/** The log has packs of moves: it would restore archived commits, or end before them. */
function assertNoLog({ revisionLog, repository }: HistoryOptions): void {
  if (!revisionLog) return
  const what = `Older revisions of ${repository} are in an archive, and a history in a database is whole`
  throw unavailable(`${what}: bring them back first, with "cairn archive --restore"`)
}

/** Few servers show archives, so the code to read them is loaded on demand. */
async function openArchives(
  parts: readonly ArchivedPart[],
  { archives, ...options }: HistoryOptions,
): Promise<ServedArchives | null> {
  if (!archives || archives.files.length === 0) return null
  const { ServedArchives: Archives } = await import('./archive/served-archives.ts')
  return Archives.open(parts, { ...options, archives })
}

interface Resources {
  /** Null without archives that are shown. */
  readonly archives: ServedArchives | null
  readonly folder: RepositoryFolder
  readonly repository: GitRepository
  readonly git: GitExecutable | null
  readonly close: () => Promise<void>
}

interface Options extends HistoryOptions {
  readonly fs: FsPromises
  /** For the checks that read very many files. */
  readonly pooledFs: FsPromises
  /** The archived part of the history; null when there is none. */
  readonly archived: Archived | null
}

async function openParts(options: Options, resources: Resources): Promise<OpenedHistory> {
  const { fs, report } = options
  const { folder, repository } = resources
  const live = new LiveFile(fs, join(folder.path, options.fileName), options.largestDocument)
  const index = new IndexFile({ fs, path: join(folder.ownDir, 'revisions') }, options)
  const keeper = openKeeper(index, options, resources)
  const [problems, events] = [new Problems(report), new RevisionEvents()]
  const rest = Math.min(MAX_REST_MS, options.pollInterval / 2)
  const publish = openPublish(options, resources)
  const committer = new Committer({ ...options, repository, keeper, live, publish })
  const { reader } = repository
  const { git } = resources
  const workTree = new WorkTreeSync({ ...options, folder, reader })
  const store = { fs, gitDir: folder.gitDir }
  const refused = new RefusedCommits({ store, repository, git, problems })
  const kept = { ...options, repository, keeper, live }
  const native = new NativeCommits({ ...kept, store, workTree, refused })
  const common = { ...kept, committer, problems, publish }
  const { admit, ...following } = openFollow({ ...common, admit: native.admit }, resources)
  const follower = new BranchFollower({ ...common, events, admit })
  const shared = { ...common, ...following, folder, follower, native, refused }
  const onCommitted = (saved: readonly Revision[], facts: readonly ChangeFacts[]) =>
    events.emit({ added: LazyList.of(saved), isRewritten: false, areSaves: true, facts })
  const stagedRest = options.pollInterval
  const reconciler = new Reconciler({
    ...shared,
    workTree,
    rest,
    stagedRest,
    onCommitted,
  })
  await tidyRepositoryFolder(fs, { folder, livePath: live.path })
  await prepareForPushes(options, store)
  await keeper.load()
  if (options.revisionLog) await followFirst(shared)
  const current = await beginOrDegrade({ ...shared, reconciler })
  const watchedFolders = [...new Set([dirname(live.path), folder.gitDir, folder.headsDir])]
  const queue = new WriterQueue()
  const maintenance = openMaintenance(options, { ...resources, queue, events })
  const compaction = openCompaction(options, { ...resources, events })
  const upkeep = { maintenance, compaction }
  const { archived } = options
  const { archives } = resources
  const tags = new RevisionTags({
    gitDir: folder.gitDir,
    reader,
    git,
    queue,
    isShared: options.revisionLog != null,
  })
  await tags.refresh()
  const parts = {
    repository,
    keeper,
    tags,
    dropped: openDropped(keeper, options, resources),
    reconciler,
    refused,
    problems,
    events,
    queue,
    git,
    archived,
    archives,
    openSideRefs: sideRefsOf(options, resources),
    ...upkeep,
  }
  return {
    parts: { ...parts, watchedFolders, rest, [Symbol.asyncDispose]: resources.close },
    current,
  }
}

function openKeeper(
  file: IndexFile,
  options: Options,
  { folder: { gitDir }, repository: { reader } }: Resources,
): IndexKeeper {
  const place = { store: { fs: options.fs, gitDir }, reader }
  const keepFormer = (rewrite: BranchRewrite) => keepDropped(place, rewrite, options.clock())
  return new IndexKeeper(file, { ...options, reader, keepFormer }, options.report)
}

function openDropped(
  keeper: IndexKeeper,
  options: Options,
  { folder: { gitDir }, repository: { reader } }: Resources,
): DroppedRevisions {
  const isOnBranch = (commit: CommitSha) => keeper.index.placeOf(commit) !== null
  const store = { fs: options.pooledFs, gitDir }
  return new DroppedRevisions({ ...options, reader, store, isOnBranch })
}

function openPublish(
  options: Options,
  { git, repository, folder: { gitDir } }: Resources,
): Publish {
  const { revisionLog: log } = options
  if (!log) return async () => true
  if (git === null) throw unavailable('Several servers need the git program, and it was not found')
  const store = { git, gitDir, reader: repository.reader }
  return publishIn(log, store, describeMoves({ ...options, repository }))
}

function sideRefsOf(
  { fs, clock, revisionLog: log }: Options,
  { git, repository: { reader }, folder: { gitDir } }: Resources,
): HistoryParts['openSideRefs'] {
  const store = { fs, gitDir }
  const packs = git === null ? null : { git, gitDir, reader }
  return (prefix, followBranch) => {
    const shared = log && packs ? { log: log.refs, packs, followBranch } : null
    return new SideRefs({ prefix, store, reader, clock, shared })
  }
}

function openFollow(
  options: Omit<LogFollowerOptions, 'log' | 'store'> & Pick<HistoryOptions, 'revisionLog'>,
  { git, repository: { reader }, folder: { gitDir } }: Resources,
): Pick<ReconcilerOptions, 'follow' | 'takeMovedFrom'> & { readonly admit: Admit } {
  const { revisionLog: log, admit } = options
  if (!log || git === null) return { follow: async () => {}, takeMovedFrom: () => null, admit }
  const follower = new LogFollower({ ...options, log, store: { git, gitDir, reader } })
  const { takeMovedFrom, admitAgreed } = follower
  return { follow: () => follower.follow(), takeMovedFrom, admit: admitAgreed }
}

function openMaintenance(
  options: Options,
  {
    folder,
    repository,
    git,
    queue,
    events,
  }: Resources & { queue: WriterQueue; events: RevisionEvents },
): Maintenance {
  const { clock, report, packWhen: limits } = options
  const store = { fs: options.pooledFs, gitDir: folder.gitDir }
  const shared = { git, store, reader: repository.reader, queue, clock, report }
  const maintenance = new Maintenance(limits ? { ...shared, limits } : shared)
  events.subscribe(({ added }) => maintenance.noteRevisions(added.length))
  return maintenance
}

function openCompaction(
  { revisionLog: log, compactWhen: limits, report }: Options,
  { git, repository: { reader }, folder, events }: Resources & { events: RevisionEvents },
): LogCompaction | null {
  if (!log || git === null) return null
  const shared = { log, store: { git, gitDir: folder.gitDir, reader }, report }
  const compaction = new LogCompaction(limits ? { ...shared, limits } : shared)
  events.subscribe(({ added }) => compaction.noteRevisions(added.length))
  compaction.noteRevisions(0)
  return compaction
}

async function prepareForPushes({ pushCheck, report }: Options, store: GitStore): Promise<void> {
  await completeSettings(store)
  if (!pushCheck || (await installPushHook(store, pushCheck))) return
  const message = 'The repository has a pre-receive hook of its own: pushes are not checked'
  report({ level: 'warning', message })
}
