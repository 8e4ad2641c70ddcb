import { join, posix } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { CommitSha } from '../../core/revision.ts'
import { mapNonEmpty, type NonEmptyArray } from '../../lib/non-empty-array.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import type { FsPromises } from '../../storage/fs-promises.ts'
import { replaceFile } from '../../storage/durable-fs.ts'
import { syncFolder } from '../../storage/sync-folder.ts'
import { isByService, SERVICE_COMMITTER } from '../revision/classify.ts'
import {
  findStagedBlob,
  type StagingStore,
  type IndexUpdate,
  removeStaleIndexLock,
  updateGitIndex,
} from './update-staging-index.ts'
import { DerivedIndexes, restoreTornIndex } from './derived-index.ts'
import type { IndexRow } from '../../git/staging-index.ts'
import type { GitLock } from '../../git/git-lock.ts'
import { authorName, subjectOf, type Trailer, trailersOf } from '../revision/message.ts'
import { type Head, readHead } from '../../git/refs.ts'
import { lockRef, RefMove, removeStaleRefLock, updateRef } from '../../git/ref-update.ts'
import { parseCommit } from '../../git/objects/commit-object.ts'
import type { CommitRange, CommitRecord, ObjectReader } from '../../git/objects/object-reader.ts'
import {
  blobName,
  type RawObjectReader,
  type NamedObject,
  type RawObject,
} from '../../git/objects/raw-object.ts'
import type { ObjectFormat } from '../../git/object-format.ts'
import type { FileBeside } from '../revision/prepared-change.ts'
import { RecentObjects } from './recent-objects.ts'
import type { RepositoryFolder } from './repository-folder.ts'
import { unavailable } from '../../core/errors.ts'
import {
  describeNoFile,
  findBlobInTree,
  findFileInTree,
  hasFileInTree,
  isRunnableInTree,
} from '../../git/objects/tree-walk.ts'
import {
  type CompressedObjects,
  compressObjects,
  type PreparedCommit,
  prepareCommit,
  writeObjects,
} from './write-objects.ts'

/** A new commit of one file. */
export interface NewCommit {
  /** Null begins the history. */
  readonly parent: CommitSha | null
  /** The file; the document when absent. */
  readonly path?: string
  /** The name of its blob. */
  readonly blob: string
  readonly author: string
  readonly time: number
  readonly message: string
}

/** New commits of this service on a branch, each based on the one before. */
export interface BranchMove {
  readonly branch: string
  /** The commit below them; null begins the history. */
  readonly parent: CommitSha | null
  readonly commits: NonEmptyArray<MovedCommit>
}

/** A commit, with its message in the reflog. */
export interface MovedCommit {
  readonly commit: CommitSha
  readonly time: number
  readonly message: string
}

/** The document of a commit, to be recorded in git's index. */
export interface StagedDocument extends Pick<IndexUpdate, 'oid' | 'findClean'> {
  readonly commit: CommitSha
}

/** Newer commits for a branch, whose objects are already there. */
export interface BranchAdvance {
  readonly branch: string
  /** Null begins the history. */
  readonly from: CommitSha | null
  readonly to: CommitSha
  readonly time: number
  /** The author and message of the reflog entry. */
  readonly username: string
  readonly reason: 'push' | 'import' | 'log' | 'commit' | 'refused'
}

/** Files in git's folder that show an unfinished command of several steps. */
const UNFINISHED: ReadonlyMap<string, string> = new Map([
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['BISECT_LOG', 'a bisect'],
])

const MISSING = 'The folder of the repository is missing'

/** The git repository for the history: one file, one branch, objects before refs. */
export class GitRepository {
  readonly reader: ObjectReader & RawObjectReader
  readonly #fs: FsPromises
  readonly #folder: RepositoryFolder
  readonly #fileName: string
  readonly #prepared: PreparedObjects
  readonly #recent: RecentObjects
  readonly #derived: DerivedIndexes
  /** The branch that git may not move, until this service moves it. */
  #held: { readonly branch: string; readonly lock: GitLock } | null = null

  constructor(
    {
      fs,
      folder,
      reader,
    }: { fs: FsPromises; folder: RepositoryFolder; reader: ObjectReader & RawObjectReader },
    fileName: string,
  ) {
    this.reader = reader
    this.#fs = fs
    this.#folder = folder
    this.#fileName = fileName
    this.#prepared = new PreparedObjects(reader)
    this.#recent = new RecentObjects({ fs, gitDir: folder.gitDir }, reader)
    this.#derived = new DerivedIndexes(this.#prepared)
  }

  /** @throws {ServiceError} `unavailable` when the folder of the repository is not there. */
  async assertThere(): Promise<void> {
    const objects = join(this.#folder.gitDir, 'objects')
    if ((await orNullWhenAbsent(this.#fs.stat(objects))) === null) throw unavailable(MISSING)
  }

  /** @throws {ServiceError} `unavailable` when HEAD is damaged. */
  readHead(): Promise<Head> {
    return readHead(this.#store)
  }

  /**
   * Removes leftovers of a crash of this service, and makes git's index anew when a power cut has
   * left a part of it. Only for the process that holds the repository.
   */
  async recover({ branch, commit }: Head): Promise<void> {
    await removeStaleIndexLock(this.#store)
    if (branch !== null) await removeStaleRefLock(this.#store, branch)
    if (commit === null) return
    const keep = (bytes: Uint8Array) =>
      replaceFile(join(this.#folder.ownDir, 'torn-index'), bytes, { fs: this.#fs })
    await restoreTornIndex(this.#store, this.reader, { commit, keep })
  }

  /** The document of a commit; null when it has none. */
  findDocument(commit: CommitSha): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.reader.findFile(commit, this.#fileName)
  }

  /** A file in the folder of the document, which is read when it is asked for; null when there is none. */
  async findBeside(commit: CommitSha, name: string): Promise<FileBeside | null> {
    const place = { commit, path: this.pathBeside(name) }
    const oid = await findBlobInTree(this.#prepared, place)
    return oid === null ? null : { oid, read: () => findFileInTree(this.reader, place) }
  }

  /** The path of a file in the folder of the document. */
  pathBeside(name: string): string {
    return posix.join(posix.dirname(this.#fileName), name)
  }

  /** The trailers of a commit of this service beside the facts of every revision; none of others. */
  async readTrailers(commit: CommitSha): Promise<readonly Trailer[]> {
    const found = await this.#prepared.findCommit(commit)
    return found !== null && isByService(found) ? trailersOf(found.message) : []
  }

  /** The same of all commits below one, as far as they have any; those below `until` are left out. */
  async listTrailers(range: CommitRange): Promise<ReadonlyMap<CommitSha, readonly Trailer[]>> {
    const found = new Map<CommitSha, readonly Trailer[]>()
    for await (const commits of this.reader.listCommits(range)) {
      for (const commit of commits) {
        const trailers = isByService(commit) ? trailersOf(commit.message) : []
        if (trailers.length > 0) found.set(commit.sha, trailers)
      }
    }
    return found
  }

  /** Whether a commit has a document, which is not read. */
  hasDocument(commit: CommitSha): Promise<boolean> {
    return hasFileInTree(this.reader, { commit, path: this.#fileName })
  }

  /** The document of a foreign commit, where only a regular file counts. */
  findForeignDocument(commit: CommitSha): Promise<Uint8Array<ArrayBuffer> | null> {
    return findFileInTree(this.reader, { commit, path: this.#fileName })
  }

  /** Describes the entry of a commit in place of the live file when it is no regular file, or says that there is none. */
  async describeNoDocument(commit: CommitSha): Promise<string> {
    const kind = await describeNoFile(this.reader, { commit, path: this.#fileName })
    return (
      kind ?? `missing: the commit has no ${this.#fileName} (the name of the file may be wrong)`
    )
  }

  /** Describes an unfinished git command of several steps, such as a merge; null when there is none. */
  async findUnfinished(): Promise<string | null> {
    const names = await orNullWhenAbsent(this.#fs.readdir(this.#folder.gitDir))
    if (names === null) throw unavailable(MISSING)
    return names.map((name) => UNFINISHED.get(name)).find((found) => found !== undefined) ?? null
  }

  /** Prepares a commit without writing it. Its parent may be the one that was prepared last. */
  async prepare(commit: NewCommit): Promise<PreparedCommit> {
    const { parent, path = this.#fileName, blob, author, time, message } = commit
    const prepared = await prepareCommit(this.#prepared, {
      parent,
      path,
      blob,
      author: { name: author, email: SERVICE_COMMITTER.email, time },
      committer: { ...SERVICE_COMMITTER, time },
      message,
    })
    this.#prepared.remember(prepared.objects)
    return prepared
  }

  /** Compresses objects of commits, older ones first; writes nothing. */
  compress(objects: readonly NamedObject[]): Promise<CompressedObjects> {
    return compressObjects(objects, this.reader.format)
  }

  /** Writes the objects of commits, of which this is the last one, durably. No branch moves. */
  async write(commit: CommitSha, objects: CompressedObjects): Promise<void> {
    await writeObjects(this.#store, objects)
    this.#recent.note(commit, objects)
  }

  /** Once a ref has a commit that was written here, makes sure that its objects are there. */
  confirm(commit: CommitSha): Promise<void> {
    return this.#recent.confirm(commit)
  }

  /** Writes objects again that another program has removed, and returns the number of files. */
  restoreLost(): Promise<number> {
    return this.#recent.restoreLost()
  }

  /**
   * Keeps git from moving a branch until the next move by this service, or until this is disposed
   * of.
   *
   * @throws {ServiceError} `unavailable` when a git command keeps it.
   */
  async holdBranch(branch: string): Promise<AsyncDisposable> {
    const lock = await lockRef(this.#store, branch)
    this.#held = { branch, lock }
    return {
      [Symbol.asyncDispose]: () => {
        this.#takeHeld(branch)
        return lock[Symbol.asyncDispose]()
      },
    }
  }

  /** Moves the branch to the last of the commits, unless it has left their parent. */
  async moveBranch(move: BranchMove): Promise<boolean> {
    await using opened = await this.openMove(move)
    await opened?.finish()
    return opened !== null
  }

  /** Prepares such a move, to be finished later. Null when the branch has left their parent. */
  async openMove({ branch, parent, commits }: BranchMove): Promise<RefMove | null> {
    const steps = mapNonEmpty(commits, ({ commit, time, message }) => ({
      next: commit,
      who: { ...SERVICE_COMMITTER, time },
      reason: `commit: ${subjectOf(message)}`,
    }))
    const run = { ref: branch, expected: parent, steps }
    const move = await RefMove.open(this.#store, run, { held: this.#takeHeld(branch) })
    if (move.current === parent) return move
    await move[Symbol.asyncDispose]()
    return null
  }

  /** Moves the branch to commits of an accepted push, unless it has left their base. */
  async advance({ branch, from, to, time, username, reason }: BranchAdvance): Promise<boolean> {
    // Git has renamed the pack into place without syncing the folder.
    await syncFolder(this.#fs, join(this.#folder.gitDir, 'objects', 'pack'))
    const update = {
      ref: branch,
      expected: from,
      next: to,
      who: { ...SERVICE_COMMITTER, name: authorName(username), time },
      reason,
    }
    const result = await updateRef(this.#store, update, { held: this.#takeHeld(branch) })
    await this.confirm(to)
    return result.state === 'updated'
  }

  /** Names a commit that no branch has, unless it has that name already. */
  async keepAs(ref: string, commit: CommitSha, time: number): Promise<void> {
    const who = { ...SERVICE_COMMITTER, time }
    await updateRef(this.#store, { ref, expected: null, next: commit, who, reason: 'conflict' })
    await this.confirm(commit)
  }

  /** Records the newest commit's live file in git's index. False when a git command holds the index. */
  async stageDocument(commit: CommitSha, document: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const oid = blobName(document, this.reader.format)
    if ((await findStagedBlob(this.#store, this.#fileName)) === oid) return true
    return this.stage({ commit, oid })
  }

  /**
   * Records the document of a commit that is the newest, by the name of its blob. After a power cut
   * the next start may have to record it again; what an operator has staged beside it is kept.
   */
  async stage({ commit, ...staged }: StagedDocument): Promise<boolean> {
    const path = this.#fileName
    const isExecutable = await isRunnableInTree(this.#prepared, { commit, path })
    const update = { ...staged, isExecutable, workTree: this.#folder.path, path }
    const isDerived = (rows: readonly IndexRow[]) => this.#derived.isDerived(rows, commit)
    const options = { isDurable: false, isDerived }
    return (await updateGitIndex(this.#store, update, options)) !== 'busy'
  }

  /** Whether exactly these bytes are staged for a commit. */
  async isStaged(document: Uint8Array<ArrayBuffer>): Promise<boolean> {
    return (
      (await findStagedBlob(this.#store, this.#fileName)) === blobName(document, this.reader.format)
    )
  }

  #takeHeld(branch: string): GitLock | null {
    const held = this.#held
    if (held?.branch !== branch) return null
    this.#held = null
    return held.lock
  }

  get #store(): StagingStore {
    return { fs: this.#fs, gitDir: this.#folder.gitDir, format: this.reader.format }
  }
}

/** The newest commits in memory: those of a group of saves are looked at once all are in force. */
const MAX_COMMITS = 64

/** Reads objects, with a cache of the commit and the trees that were prepared last, and of some commits before it. */
class PreparedObjects implements RawObjectReader {
  readonly #reader: ObjectReader & RawObjectReader
  #last: ReadonlyMap<string, RawObject> = new Map()
  readonly #commits = new LRUCache<string, RawObject>({ max: MAX_COMMITS })

  constructor(reader: ObjectReader & RawObjectReader) {
    this.#reader = reader
  }

  get format(): ObjectFormat {
    return this.#reader.format
  }

  /** Blobs are not cached: the next commit replaces them unread. */
  remember(objects: readonly NamedObject[]): void {
    const small = objects.filter(({ type }) => type !== 'blob')
    this.#last = new Map(small.map((object) => [object.oid, object]))
    for (const object of small) if (object.type === 'commit') this.#commits.set(object.oid, object)
  }

  async findObject(oid: string): Promise<RawObject | null> {
    return this.#last.get(oid) ?? this.#reader.findObject(oid)
  }

  async findCommit(commit: CommitSha): Promise<CommitRecord | null> {
    const prepared = this.#commits.get(commit)
    return prepared ? parseCommit(commit, prepared.content) : this.#reader.findCommit(commit)
  }
}
