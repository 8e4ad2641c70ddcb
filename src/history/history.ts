import type { ChangeOrigin } from '../core/change-origin.ts'
import { ServiceError } from '../core/errors.ts'
import { describeFault } from '../core/faults.ts'
import type { NonEmptyArray } from '../lib/non-empty-array.ts'
import type { Revision } from '../core/revision.ts'
import { fsErrorCode } from '../storage/fs-error.ts'
import type { SideRefs } from './refs/side-refs.ts'
import { ChangeWatch } from './sync/change-watch.ts'
import type { GitExecutable } from '../git/git-executable.ts'
import type { BranchAdvance } from './repository/git-repository.ts'
import type { HistoryOptions } from './history-options.ts'
import type { MaintenanceState } from './upkeep/maintenance.ts'
import { pushToJudge } from './sync/pushed-changes.ts'
import { HistoryReading } from './history-reading.ts'
import { type HistoryParts, openHistoryParts } from './open-history.ts'
import { type HistoryProblem, notValid } from './revision/problems.ts'
import type { PreparedChange } from './revision/prepared-change.ts'
import type { Committed } from './sync/committer.ts'
import type { RefusedCommit, TakenBackCommit } from './sync/refused-commits.ts'
import type { Base, BesideChange, InvalidEdit, RefusedEdit } from './sync/reconciler.ts'
import { bodyOf } from './revision/message.ts'
import type { RevisionListener } from './revision/revision-events.ts'
import type { RevisionTags } from './tags/revision-tags.ts'

export type { DocumentForms } from './history-reading.ts'
export type { HistoryOptions, StoredDocument } from './history-options.ts'
export type { Inspection } from './revision/inspection.ts'
export type { MaintenanceLimits, MaintenanceState } from './upkeep/maintenance.ts'
export type { HistoryEvent, HistoryProblem } from './revision/problems.ts'
export type { Authorship, RevisionColumns, WantedColumns } from './index/revision-columns.ts'
export type { NumberSpan } from './index/revision-index.ts'
export type { RevisionListener, RevisionEvent } from './revision/revision-events.ts'

/**
 * The history of the configuration: a branch of a git repository, a live file in its work tree, and
 * an index of the revisions in memory.
 *
 * A change is acknowledged only when commit, branch and live file are on disk. Changes of the branch
 * and the live file by other tools are detected and taken over.
 */
export class History extends HistoryReading implements AsyncDisposable {
  readonly #options: HistoryOptions
  readonly #parts: HistoryParts
  readonly #watch: ChangeWatch
  /** The refs of proposals, which lie beside the branch. */
  readonly proposalRefs: SideRefs

  private constructor(options: HistoryOptions, parts: HistoryParts, current: Revision) {
    super(options, parts, current)
    this.#options = options
    this.#parts = parts
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

  /** Takes over changes of other tools and servers now. Never fails: a failure is a problem. */
  follow(): Promise<void> {
    return this.#check()
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

  /**
   * Commits a file in the folder of the document, between two changes. Returns its revision, or null
   * when the file is as it is to be already. `compute` gets the file as it is.
   *
   * @throws {ServiceError} `unavailable` while the newest commit is not valid; whatever `compute` throws.
   */
  changeBeside(change: BesideChange): Promise<Revision | null> {
    return this.#parts.queue.run(() => this.#parts.reconciler.changeBeside(change))
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

  /** Calls the listener whenever such a problem is found. Returns a function that unsubscribes it. */
  onProblem(listener: () => void): () => void {
    return this.#parts.problems.onFound(listener)
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

  get tags(): RevisionTags {
    return this.#parts.tags
  }

  /** Calls the listener for every new revision from any source. Returns a function that unsubscribes it. */
  onRevision(listener: RevisionListener): () => void {
    return this.#parts.events.subscribe(listener)
  }

  /** Shortens, from now on, the wait for a git that does not answer: the service is stopping. */
  hurry(): void {
    this.#parts.repository.reader.hurry()
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
      await this.#restoreLost()
      const isAtRest = await this.#parts.queue.run(() => this.#parts.reconciler.reconcileRested())
      this.#parts.problems.clear('repository')
      if (!isAtRest) this.#watch.wakeIn(this.#parts.rest)
      await this.#parts.tags.refresh()
      await this.documents.readAgain()
    } catch (error) {
      this.#parts.problems.raise({ kind: 'repository', message: problemOf(error), problems: [] })
      if (error instanceof ServiceError || fsErrorCode(error) !== null) return
      const message = 'The repository could not be followed'
      this.#options.report({ level: 'error', message, facts: { error } })
    }
  }

  /** Brings back what a git command has taken for garbage beside a change. */
  async #restoreLost(): Promise<void> {
    const onBranch = await this.#parts.repository.restoreLost()
    const files = onBranch + (await this.proposalRefs.restoreLost())
    if (files === 0) return
    const message = 'Objects that another program had removed were written again'
    this.#options.report({ level: 'warning', message, facts: { files } })
  }
}

function problemOf(error: unknown): string {
  const reason = describeFault(error)
  return error instanceof ServiceError ? reason : `The repository cannot be followed: ${reason}`
}
