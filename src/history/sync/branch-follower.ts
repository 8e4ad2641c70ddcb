import { setTimeout as delay } from 'node:timers/promises'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { withoutCommit } from '../../git/objects/damage.ts'
import { believe, isByService } from '../revision/classify.ts'
import type { GitRepository } from '../repository/git-repository.ts'
import type { IndexKeeper } from '../index/index-keeper.ts'
import type { Inspect, Inspection } from '../revision/inspection.ts'
import { describeProblems, type Problems } from '../revision/problems.ts'
import { unavailable } from '../../core/errors.ts'
import type { RevisionEvents } from '../revision/revision-events.ts'
import type { Admit } from './native-commits.ts'

/** The state of the branch that the index describes. */
export interface BranchState {
  readonly branch: string
  readonly head: CommitSha
  /** The file in the newest commit, valid or not; null when there is none. */
  readonly headDocument: Uint8Array<ArrayBuffer> | null
  /** The inspection of the newest commit when another tool made it; null when this service did. */
  readonly inspection: Inspection | null
  readonly isHeadRevision: boolean
  readonly current: Revision
  readonly document: Uint8Array<ArrayBuffer>
}

export interface BranchFollowerOptions {
  readonly repository: GitRepository
  readonly keeper: IndexKeeper
  readonly inspect: Inspect
  readonly problems: Problems
  readonly events: RevisionEvents
  /** Asked before the index follows the branch. */
  readonly admit: Admit
}

interface Head {
  readonly commit: CommitSha
  readonly document: Uint8Array<ArrayBuffer> | null
  readonly inspection: Inspection | null
}

/** The time to wait for an unfinished git command, in milliseconds. */
const GIT_TIMEOUT_MS = 2000
const PAUSE_MS = 25

/** Keeps the index up to date with the checked-out branch, whichever tool moves it. */
export class BranchFollower {
  readonly #options: BranchFollowerOptions
  #head: Head | null = null
  #wasReset = false

  constructor(options: BranchFollowerOptions) {
    this.#options = options
  }

  /**
   * Moves the index to the newest commit of the branch.
   *
   * @throws {ServiceError} `unavailable` while the repository cannot be written to.
   */
  async fastForward(): Promise<BranchState> {
    const { repository, keeper, events } = this.#options
    const { branch, commit } = await this.#readAdmitted()
    const moved = await keeper.moveTo(commit)
    this.#wasReset ||= moved.isReset
    events.emit(moved)
    const { document: headDocument, inspection } = await this.#readHead(commit)
    const current = keeper.index.current()
    if (current === null) throw unavailable(`No commit of ${branch} has a valid configuration`)
    const isHeadRevision = current.commit === commit
    const document = isHeadRevision ? headDocument : await repository.findDocument(current.commit)
    if (document === null) throw unavailable(`The document of commit ${current.commit} is missing`)
    return { branch, head: commit, headDocument, inspection, isHeadRevision, current, document }
  }

  /** Notes the document of a new commit of this service, so that it need not be read from git. */
  noteCommitted({ commit }: Revision, document: Uint8Array<ArrayBuffer>): void {
    this.#head = { commit, document, inspection: null }
  }

  /** Stores the index, because the live file has caught up with it. */
  keep(): Promise<void> {
    return this.#options.keeper.keep()
  }

  /** Whether the branch moved back to an earlier commit since the last call. */
  takeReset(): boolean {
    const was = this.#wasReset
    this.#wasReset = false
    return was
  }

  /** The branch once it is at a commit that may be followed. */
  async #readAdmitted(): Promise<{ branch: string; commit: CommitSha }> {
    const { keeper, admit } = this.#options
    for (;;) {
      const { branch, commit } = await this.#readBranch()
      if (await admit({ branch, from: keeper.index.tip(), to: commit })) return { branch, commit }
    }
  }

  async #readBranch(): Promise<{ branch: string; commit: CommitSha }> {
    await this.#waitForUnfinished()
    const { branch, commit } = await this.#options.repository.readHead()
    if (branch === null) {
      throw unavailable(`The repository is on no branch: commit ${commit} is checked out`)
    }
    if (commit === null) throw unavailable(`The branch ${branch} has no commits`)
    return { branch, commit }
  }

  async #waitForUnfinished(): Promise<void> {
    for (let left = GIT_TIMEOUT_MS; ; left -= PAUSE_MS) {
      const unfinished = await this.#options.repository.findUnfinished()
      if (unfinished === null) return
      if (left <= 0) throw unavailable(`Somebody has begun ${unfinished} in the repository`)
      await delay(PAUSE_MS)
    }
  }

  async #readHead(commit: CommitSha): Promise<Head> {
    if (this.#head?.commit === commit) return this.#head
    const { repository, problems } = this.#options
    const record = await repository.reader.findCommit(commit)
    if (record === null) throw unavailable(withoutCommit(commit))
    const isBelieved = believe(record) !== null
    const document = isBelieved
      ? await repository.findDocument(commit)
      : await repository.findForeignDocument(commit)
    const inspection = isByService(record) ? null : await this.#inspect(commit, document)
    if (inspection === null || inspection.ok) problems.clear('commit')
    else {
      const [reasons, who] = [inspection.problems, record.author]
      const message = `Commit ${commit} by ${who} is not valid: ${describeProblems(reasons)}`
      problems.raise({ kind: 'commit', message, problems: reasons })
    }
    this.#head = { commit, document, inspection }
    return this.#head
  }

  async #inspect(commit: CommitSha, document: Uint8Array<ArrayBuffer> | null): Promise<Inspection> {
    if (document !== null) return this.#options.inspect(document)
    const what = await this.#options.repository.describeNoDocument(commit)
    return { ok: false, problems: [{ message: `The configuration file is ${what}` }] }
  }
}
