import type { ChangeOrigin } from '../core/change-origin.ts'
import type { Digest } from '../core/digest.ts'
import { ServiceError } from '../core/errors.ts'
import { describeFault } from '../core/faults.ts'
import type { NonEmptyArray } from '../lib/non-empty-array.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import { fsErrorCode } from '../storage/fs-error.ts'
import type { SideRefs } from './refs/side-refs.ts'
import { ChangeWatch } from './sync/change-watch.ts'
import type { GitExecutable } from '../git/git-executable.ts'
import type { BranchAdvance } from './repository/git-repository.ts'
import type { HistoryOptions } from './history-options.ts'
import type { MaintenanceState } from './upkeep/maintenance.ts'
import { pushToJudge } from './sync/pushed-changes.ts'
import { listNewer } from './sync/newer-revisions.ts'
import { type HistoryParts, openHistoryParts } from './open-history.ts'
import { type PushedDocument, pushedCommits } from './refs/pushed-commits.ts'
import { type HistoryProblem, notValid } from './revision/problems.ts'
import type { FileBeside, PreparedChange } from './revision/prepared-change.ts'
import { RevisionDocuments, type UnreadableRevision } from './revision-documents.ts'
import type { Committed } from './sync/committer.ts'
import type { RefusedCommit, TakenBackCommit } from './sync/refused-commits.ts'
import type { Base, BesideChange, InvalidEdit, RefusedEdit } from './sync/reconciler.ts'
import { bodyOf, type Trailer } from './revision/message.ts'
import type { RevisionListener } from './revision/revision-events.ts'
import type { RevisionTags } from './tags/revision-tags.ts'
import type { RevisionColumns } from './index/revision-columns.ts'
import type { Lineage, NumberSpan, RevisionRange } from './index/revision-index.ts'

export type { HistoryOptions, StoredDocument } from './history-options.ts'
export type { Inspection } from './revision/inspection.ts'
export type { MaintenanceLimits, MaintenanceState } from './upkeep/maintenance.ts'
export type { HistoryEvent, HistoryProblem } from './revision/problems.ts'
export type { Authorship, RevisionColumns, WantedColumns } from './index/revision-columns.ts'
export type { Lineage, NumberSpan } from './index/revision-index.ts'
export type { RevisionListener, RevisionEvent } from './revision/revision-events.ts'

/** A document in the forms in which it leaves the history. */
export interface DocumentForms {
  /** As readers may see it. */
  readonly shown: Uint8Array<ArrayBuffer>
  /** As it is written in git, with a stand-in for each secret in plain text. */
  readonly written: Uint8Array<ArrayBuffer>
}

/**
 * The history of the configuration: a branch of a git repository, a live file in its work tree, and
 * an index of the revisions in memory.
 *
 * A change is acknowledged only when commit, branch and live file are on disk. Reads never wait for
 * writers. Changes of the branch and the live file by other tools are detected and taken over.
 */
export class History implements AsyncDisposable {
  readonly #options: HistoryOptions
  readonly #parts: HistoryParts
  readonly #watch: ChangeWatch
  readonly #documents: RevisionDocuments
  /** The refs of proposals, which lie beside the branch. */
  readonly proposalRefs: SideRefs
  #current: Revision

  private constructor(options: HistoryOptions, parts: HistoryParts, current: Revision) {
    this.#options = options
    this.#parts = parts
    this.#documents = new RevisionDocuments(parts.repository, options.report)
    this.#current = current
    this.proposalRefs = parts.openSideRefs('refs/proposals/', () => this.#check())
    this.#watch = new ChangeWatch({
      folders: parts.watchedFolders,
      interval: options.pollInterval,
      check: () => this.#check(),
      report: options.report,
    })
  }

  /**
   * Opens the repository, or makes a new one, and brings branch, index and live file into agreement.
   *
   * @throws {ServiceError} `unavailable` when the repository cannot be served, with the reason.
   */
  static async open(options: HistoryOptions): Promise<History> {
    const { parts, current } = await openHistoryParts(options)
    return new History(options, parts, current)
  }

  /** The newest valid revision. */
  current(): Revision {
    this.#current = this.#parts.keeper.index.current() ?? this.#current
    return this.#current
  }

  /** The number of all revisions, including archived ones. */
  size(): number {
    return this.#parts.keeper.index.size()
  }

  /** The number of revisions in the repository, which can be listed. */
  kept(): number {
    return this.#parts.keeper.index.kept()
  }

  /** The newest revision with that digest, also of an archive that is at hand. */
  find(digest: Digest): Revision | null {
    const { keeper, archives } = this.#parts
    return keeper.index.find(digest) ?? archives?.find(digest) ?? null
  }

  /** The same, including revisions that the branch had once, as before a `git reset`. */
  async findEver(digest: Digest): Promise<Revision | null> {
    const { dropped, archives } = this.#parts
    const here = this.find(digest) ?? (await dropped.find(digest))
    return here ?? archives?.findDropped(digest) ?? null
  }

  findCommit(commit: CommitSha): Revision | null {
    const { keeper, archives } = this.#parts
    return keeper.index.findCommit(commit) ?? archives?.findCommit(commit) ?? null
  }

  /** The same, including revisions that the branch had once, which have no number. */
  async findCommitEver(commit: CommitSha): Promise<Revision | null> {
    const { dropped, archives } = this.#parts
    const here = this.findCommit(commit) ?? (await dropped.findCommit(commit))
    return here ?? archives?.findDroppedCommit(commit) ?? null
  }

  /** The number of a revision in the history, counted from 1 for the oldest that there has been. */
  numberOf({ commit }: Pick<Revision, 'commit'>): number | null {
    const { keeper, archives } = this.#parts
    return keeper.index.numberOf(commit) ?? archives?.numberOf(commit) ?? null
  }

  /** The trailers of a revision beside the facts of every one, such as `Proposal: 7`. */
  readTrailers({ commit }: Pick<Revision, 'commit'>): Promise<readonly Trailer[]> {
    return this.#parts.repository.readTrailers(commit)
  }

  /** The same of all revisions that have any and are not in the history of a commit; null stands for none. */
  async listTrailers(until: CommitSha | null): Promise<ReadonlyMap<CommitSha, readonly Trailer[]>> {
    return this.#parts.repository.listTrailers({ from: this.current().commit, until })
  }

  /** Whether the list below a revision is exactly its own history: then it stays so. */
  isClosed({ commit }: Pick<Revision, 'commit'>): boolean {
    return this.#parts.keeper.index.isClosed(commit)
  }

  /** The revision with a number, also of an archive that is at hand; null when there is none. */
  at(number: number): Revision | null {
    const { keeper, archives } = this.#parts
    const offset = keeper.index.size() - number
    if (offset < 0 || number < 1) return null
    return keeper.index.at(offset) ?? archives?.at(number) ?? null
  }

  /** The number with which the part of the history begins that has one: the repository, or an archive. */
  beginningOf(number: number): number {
    const { archived } = this.#parts.keeper.index
    return (number > archived ? archived : (this.#parts.archives?.startOf(number) ?? 0)) + 1
  }

  /** The numbers of the revisions that can be read, in parts that begin alone each; the newest part first. */
  parts(): readonly NumberSpan[] {
    const { index } = this.#parts.keeper
    const own = { first: index.archived + 1, last: index.size() }
    return [own, ...(this.#parts.archives?.parts() ?? [])]
  }

  /** A part of the list of revisions, newest first, without archived ones. */
  list(range: RevisionRange): readonly Revision[] {
    return this.#parts.keeper.index.list(range)
  }

  /** The authors and times of these revisions, by which they are counted and selected. */
  get columns(): RevisionColumns {
    return this.#parts.keeper.index.columns
  }

  /** The same, but only their commits and their bases, which are quicker to read. */
  listLineage(range: RevisionRange): readonly Lineage[] {
    return this.#parts.keeper.index.listLineage(range)
  }

  /** The bases of a revision, the first parent first; none for an unknown one. */
  basesOf({ commit }: Pick<Revision, 'commit'>): Lineage['bases'] {
    const { keeper, archives } = this.#parts
    return keeper.index.basesOf(commit) ?? archives?.basesOf(commit) ?? []
  }

  /** The base of a revision, along first parents; null for the first one. */
  previousOf(revision: Pick<Revision, 'commit'>): Revision | null {
    const [base] = this.basesOf(revision)
    return base === undefined ? null : this.findCommit(base)
  }

  /** The revisions that are not in the history of a commit, oldest first; null for a commit that is not there. */
  listNewer(commit: CommitSha): Promise<readonly Revision[] | null> {
    const { keeper, repository, archived } = this.#parts
    return listNewer({ index: keeper.index, reader: repository.reader, archived }, commit)
  }

  /** The commit that the branch was last seen at, which need not be a revision; null before the first. */
  tip(): CommitSha | null {
    return this.#parts.keeper.index.tip()
  }

  /** Takes over changes of other tools and servers now. Never fails: a failure is a problem. */
  follow(): Promise<void> {
    return this.#check()
  }

  /** The branch that is served, such as `refs/heads/main`; null while none is checked out. */
  async readBranch(): Promise<string | null> {
    return (await this.#parts.repository.readHead()).branch
  }

  /**
   * The document of a revision for readers: its exact bytes, or a copy with sealed secrets when a
   * foreign commit has them in plain text.
   *
   * @throws {ServiceError} `unavailable` when the repository no longer has it as recorded.
   */
  async readDocument(revision: Revision): Promise<Uint8Array<ArrayBuffer>> {
    const { digest } = revision
    const stored = { digest, document: await this.readStored(revision) }
    return (await this.#options.sealForReaders?.(stored)) ?? stored.document
  }

  /**
   * The document of a revision as written in git, to compare and to show: its exact bytes, with a
   * placeholder for each secret that a foreign commit has in plain text.
   *
   * @throws {ServiceError} `unavailable` when the repository no longer has it as recorded.
   */
  async readAsWritten(revision: Revision): Promise<Uint8Array<ArrayBuffer>> {
    const { digest } = revision
    const stored = { digest, document: await this.readStored(revision) }
    return (await this.#options.markPlainSecrets?.(stored)) ?? stored.document
  }

  /**
   * Both forms of {@link readDocument} and {@link readAsWritten}, read once.
   *
   * @throws {ServiceError} `unavailable` when the repository no longer has it as recorded.
   */
  async readForms(revision: Revision): Promise<DocumentForms> {
    const { digest } = revision
    const stored = { digest, document: await this.readStored(revision) }
    const { sealForReaders, markPlainSecrets } = this.#options
    return {
      shown: (await sealForReaders?.(stored)) ?? stored.document,
      written: (await markPlainSecrets?.(stored)) ?? stored.document,
    }
  }

  /**
   * The exact bytes of a revision, which may hold secrets in plain text. They must not leave the
   * service without a check for those.
   *
   * @throws {DamageError} when the repository no longer has them as recorded.
   */
  async readStored(revision: Revision): Promise<Uint8Array<ArrayBuffer>> {
    const { keeper, archives } = this.#parts
    const isHere = keeper.index.findCommit(revision.commit) !== null
    const archived = isHere ? null : await archives?.read(revision)
    return archived ?? this.#documents.read(revision)
  }

  /**
   * Asserts that the current revision can be read, at a cost that does not grow with its size.
   *
   * @throws {DamageError} when the repository no longer has it.
   */
  assertReadable(): Promise<void> {
    return this.#documents.assertReadable(this.current())
  }

  /** The revisions that could not be read at the last attempt. */
  unreadable(): readonly UnreadableRevision[] {
    return this.#documents.unreadable()
  }

  /**
   * Brings branch, index and live file into agreement and returns the base for the next change. A
   * valid edit of the live file becomes a revision first.
   *
   * @throws {ServiceError} `unavailable` while the repository cannot be written to.
   */
  base(): Promise<Base> {
    return this.#parts.queue.run(() => this.#parts.reconciler.reconcile())
  }

  /**
   * Keeps git commands from moving the branch until the next commit or push, or until this is
   * disposed of: for a change that they have made stale again and again.
   *
   * @throws {ServiceError} `unavailable` when a git command keeps the branch.
   */
  holdBranch(): Promise<AsyncDisposable> {
    const { queue, repository, reconciler } = this.#parts
    return queue.run(async () => {
      const { branch } = await reconciler.reconcile()
      return repository.holdBranch(branch)
    })
  }

  /**
   * Commits changes that were prepared on a base, each based on the one before, and returns the
   * results in their order. They are `stale`, and nothing changes, when the branch or the live file
   * has moved since.
   */
  async commit(
    base: Base,
    changes: NonEmptyArray<PreparedChange>,
  ): Promise<NonEmptyArray<Committed> | 'stale'> {
    const { queue, reconciler } = this.#parts
    return (await queue.run(() => reconciler.commit(base, changes))) ?? 'stale'
  }

  /**
   * Moves the branch to newer commits of an accepted push, between two changes.
   * False when the branch has moved meanwhile.
   *
   * @throws {ServiceError} `config-invalid` when their newest document may not become current here,
   * `not-permitted` when the gate does not let it pass, as a whole and commit by commit.
   */
  advance(move: BranchAdvance, origin: ChangeOrigin): Promise<boolean> {
    return this.#parts.queue.run(async () => {
      const document = await this.#parts.repository.findDocument(move.to)
      if (document !== null) await this.#assertPasses(document, move, origin)
      return this.#parts.reconciler.advance(move)
    })
  }

  /** A file in the folder of the document, at a commit; null when there is none. */
  findBeside(commit: CommitSha, name: string): Promise<FileBeside | null> {
    return this.#parts.repository.findBeside(commit, name)
  }

  /**
   * Commits a file in the folder of the document, between two changes. Returns its revision, or null
   * when the file is as it is to be already. `compute` gets the file as it is.
   *
   * @throws {ServiceError} `unavailable` while the newest commit is not valid; whatever `compute` throws.
   */
  changeBeside(change: BesideChange): Promise<Revision | null> {
    return this.#parts.queue.run(() => this.#parts.reconciler.changeBeside(change))
  }

  /**
   * The document of a pushed commit, with the newest revision that it builds upon and the message of
   * the oldest commit that the branch lacks; null where the branch has it, or it builds upon none.
   */
  async readPushed(commit: CommitSha): Promise<PushedDocument | null> {
    const { repository, keeper } = this.#parts
    const document = await repository.findForeignDocument(commit)
    const range = { from: commit, until: this.tip() }
    const pushed = await pushedCommits(repository.reader, range, keeper.index)
    return document && pushed && { document, ...pushed }
  }

  /** Whether the live file held an edit that is not valid at the last look. */
  get hasInvalidEdit(): boolean {
    return this.#parts.problems.of('live-file') !== null
  }

  /** The live file while it holds an edit that is not valid; null once it was taken over. */
  findInvalidEdit(): Promise<InvalidEdit | null> {
    return this.#parts.queue.run(() => this.#parts.reconciler.findInvalidEdit())
  }

  /**
   * Keeps a live file that is not valid under another name, which is returned, and puts the current
   * document in its place. Null, without any change, when it is no longer that version.
   */
  setAsideInvalidEdit(version: string): Promise<string | null> {
    return this.#parts.queue.run(() => this.#parts.reconciler.setAside(version))
  }

  /** The edit of the live file that the gate refused and that still is there; null for none. */
  get refusedEdit(): RefusedEdit | null {
    return this.#parts.reconciler.refusedEdit
  }

  /** The commits of git that the gate took back from the branch, and nobody has decided about. */
  listRefused(): Promise<readonly TakenBackCommit[]> {
    return this.#parts.refused.read()
  }

  /** Forgets commits that were taken back, because somebody has decided about them. */
  releaseRefused(commits: readonly RefusedCommit[]): Promise<void> {
    const { queue, refused } = this.#parts
    return queue.run(() => refused.release(commits))
  }

  /**
   * The problem that keeps the history from taking over the live file or the branch; null when
   * there is none.
   */
  problem(): HistoryProblem | null {
    return this.#parts.problems.worst()
  }

  /** The size of the repository at the last measurement; null before the first. */
  storage(): MaintenanceState | null {
    return this.#parts.maintenance.state()
  }

  /** Checks now whether the repository should be packed, and packs it. Never fails. */
  maintain(): Promise<void> {
    return this.#parts.maintenance.look()
  }

  /** The git program that reads the repository; null where there is none of 2.30 or newer. */
  get git(): GitExecutable | null {
    return this.#parts.git
  }

  /** The tags of the repository. */
  get tags(): RevisionTags {
    return this.#parts.tags
  }

  /** Calls the listener for every new revision from any source. Returns a function that unsubscribes it. */
  onRevision(listener: RevisionListener): () => void {
    return this.#parts.events.subscribe(listener)
  }

  /** Finishes accepted changes and releases the repository. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch[Symbol.asyncDispose]()
    await this.proposalRefs[Symbol.asyncDispose]()
    await this.#parts.compaction?.[Symbol.asyncDispose]()
    await this.#parts.maintenance[Symbol.asyncDispose]()
    await this.#parts.queue.close()
    await this.#parts[Symbol.asyncDispose]()
  }

  async #assertPasses(
    document: Uint8Array<ArrayBuffer>,
    { from, to }: BranchAdvance,
    origin: ChangeOrigin,
  ): Promise<void> {
    const { prepare, judgePush, fileName } = this.#options
    const before = await this.readStored(this.current())
    const { reader } = this.#parts.repository
    const findBeside = (name: string) => this.findBeside(this.current().commit, name)
    const message = bodyOf((await reader.findCommit(to))?.message ?? '')
    const preparation = await prepare(document, before, origin, { findBeside, message })
    if (!preparation.ok) throw notValid(preparation.problems)
    const findPushed = (name: string) => this.findBeside(to, name)
    const pushed = { from, to, fileName, before }
    await judgePush?.(pushToJudge(reader, pushed, { message, findBeside, findPushed }), origin)
  }

  /** Takes over changes of other tools. A failure is shown as a problem; the next check may solve it. */
  async #check(): Promise<void> {
    try {
      const isAtRest = await this.#parts.queue.run(() => this.#parts.reconciler.reconcileRested())
      this.#parts.problems.clear('repository')
      if (!isAtRest) this.#watch.wakeIn(this.#parts.rest)
      await this.#parts.tags.refresh()
      await this.#documents.readAgain()
    } catch (error) {
      this.#parts.problems.raise({ kind: 'repository', message: problemOf(error), problems: [] })
      if (error instanceof ServiceError || fsErrorCode(error) !== null) return
      const message = 'The repository could not be followed'
      this.#options.report({ level: 'error', message, facts: { error } })
    }
  }
}

function problemOf(error: unknown): string {
  const reason = describeFault(error)
  return error instanceof ServiceError ? reason : `The repository cannot be followed: ${reason}`
}
