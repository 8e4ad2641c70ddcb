import { setTimeout as delay } from 'node:timers/promises'
import type { ChangeFacts } from '../../core/change-origin.ts'
import { digestOf } from '../../core/digest.ts'
import { unavailable } from '../../core/errors.ts'
import type { Problem } from '../../core/problem.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { lastOf, type NonEmptyArray } from '../../lib/non-empty-array.ts'
import type { BranchFollower, BranchState } from './branch-follower.ts'
import { type Committed, type Committer, changeFactsOf } from './committer.ts'
import type { NativeCommits } from './native-commits.ts'
import type { RefusedCommits } from './refused-commits.ts'
import type { BranchAdvance, GitRepository } from '../repository/git-repository.ts'
import type { Inspection } from '../revision/inspection.ts'
import type { Publish } from '../log/log-packs.ts'
import {
  type ChangeGround,
  type FileBeside,
  type Prepare,
  prepareEdit,
  type PreparedChange,
} from '../revision/prepared-change.ts'
import { ABSENT, holds, type LiveFile, type LiveFileState } from './live-file.ts'
import type { Trailer } from '../revision/message.ts'
import type { WorkTreeSync } from './work-tree-sync.ts'
import { describeProblems, type Problems, type Report } from '../revision/problems.ts'

/** Branch, index and live file in agreement, at one moment. */
export interface Base extends BranchState {
  readonly live: LiveFileState
  /** Whether the live file holds an edit that is not valid. */
  readonly hasInvalidEdit: boolean
}

export interface ReconcilerOptions {
  readonly repository: GitRepository
  readonly follower: BranchFollower
  readonly committer: Committer
  readonly live: LiveFile
  readonly workTree: WorkTreeSync
  readonly native: Pick<NativeCommits, 'noteOwn' | 'takeTakenBack'>
  readonly refused: Pick<RefusedCommits, 'show'>
  readonly prepare: Prepare
  readonly problems: Problems
  readonly report: Report
  /** Milliseconds for which an edit has to stay unchanged before it is taken over. */
  readonly rest: number
  /** The rest for a staged edit, which may be about to be committed. */
  readonly stagedRest: number
  /** Called before the branch is read; may move it. */
  readonly follow: () => Promise<void>
  /** Returns the commit from which the branch was moved since the last call, before it was read. */
  readonly takeMovedFrom: () => CommitSha | null
  readonly publish: Publish
  readonly onCommitted: (revisions: readonly Revision[], facts: readonly ChangeFacts[]) => void
}

/** An edit of the live file that is not valid. */
export interface InvalidEdit {
  /** Identifies this state of the file. */
  readonly version: string
  /** Null for a file that is too large, and for anything but a file. */
  readonly bytes: Uint8Array<ArrayBuffer> | null
  readonly problems: readonly Problem[]
}

/** An edit of the live file that the gate refused, upon the revision that was current. */
export interface RefusedEdit {
  readonly document: Uint8Array<ArrayBuffer>
  readonly base: Revision
}

/** A change of a file in the folder of the document. */
export interface BesideChange {
  /** The name of the file. */
  readonly name: string
  readonly author: string
  /** Computes the file from the one that is there; null changes nothing. */
  readonly compute: (before: FileBeside | null, base: Base) => Promise<BesideDraft | null>
}

/** A file in the folder of the document as it is to be, with the words of its commit. */
export interface BesideDraft {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly subject: string
  readonly message: string
  readonly trailers?: readonly Trailer[]
}

type FileState = Extract<LiveFileState, { kind: 'file' }>
type Outcome = Base | 'again' | 'wait'

/** How often a file is changed anew because git was faster. */
const BESIDE_ATTEMPTS = 10
/** The time to wait for an edit that keeps changing, in milliseconds. */
const EDIT_TIMEOUT_MS = 5000

const PAUSE_MS = 25

const FILESYSTEM = 'Filesystem'

/** Brings branch, index and live file into agreement, whatever has changed any of them. */
export class Reconciler {
  readonly #options: ReconcilerOptions
  #agreedHead: CommitSha | null = null
  #edit: { readonly stamp: string; readonly since: number } | null = null
  /** The stamp of the last edit that was not valid. */
  #rejected: string | null = null

  #refusedEdit: RefusedEdit | null = null

  /** The author of commits that seal plain secrets; `Upgrade` for those from before this start. */
  #sealer = 'Upgrade'

  constructor(options: ReconcilerOptions) {
    this.#options = options
  }

  /** The edit that the live file held at the last look although the gate had refused it. */
  get refusedEdit(): RefusedEdit | null {
    return this.#refusedEdit
  }

  /** Reconciles for a change in the queue: takes a valid edit over at once. */
  async reconcile(): Promise<Base> {
    const deadline = performance.now() + EDIT_TIMEOUT_MS
    for (;;) {
      const outcome = await this.#look(deadline)
      if (outcome === 'wait') await delay(PAUSE_MS)
      else if (outcome !== 'again') return outcome
    }
  }

  /** Reconciles once an edit has come to rest. False when it has to be checked again later. */
  async reconcileRested(): Promise<boolean> {
    await this.#options.committer.tidy()
    for (;;) {
      const outcome = await this.#look(null)
      if (outcome !== 'again') return outcome !== 'wait'
    }
  }

  /**
   * Commits changes on a base, each based on the one before, or returns null when the base has
   * changed meanwhile.
   */
  async commit(
    base: Base,
    changes: NonEmptyArray<PreparedChange>,
  ): Promise<NonEmptyArray<Committed> | null> {
    const { branch, head: parent, live, hasInvalidEdit } = base
    const draft = { changes, branch, parent, live, hasInvalidEdit }
    const committed = await this.#options.committer.commit(draft)
    if (committed === null) return null
    const newest = lastOf(committed).revision
    this.#options.follower.noteCommitted(newest, lastOf(changes).document)
    this.#options.workTree.noteSaved(parent, newest.commit)
    this.#clearEdit()
    this.#options.problems.clear('commit')
    this.#options.onCommitted(
      committed.map(({ revision }) => revision),
      changes.map(changeFactsOf),
    )
    return committed
  }

  /**
   * Moves the branch to newer commits and updates the live file. An invalid edit of it is moved
   * away. False, without any change, when the branch has left the base of those commits.
   */
  async advance(move: BranchAdvance): Promise<boolean> {
    const { repository, committer, live, publish, native } = this.#options
    const base = await this.reconcile()
    if (base.branch !== move.branch || base.head !== move.from) return false
    if (!(await publish(move))) return false
    if (!(await repository.advance(move))) return false
    native.noteOwn(base.head, move.to)
    if (base.hasInvalidEdit && (await live.stamp()) === base.live.stamp) {
      await committer.moveAway()
      await this.#catchUp(await repository.findDocument(move.to), ABSENT)
    }
    await this.reconcile()
    return true
  }

  /**
   * Commits a file in the folder of the document; null when nothing changes.
   *
   * @throws {ServiceError} `unavailable` while the newest commit is not valid; whatever `compute` throws.
   */
  async changeBeside({ name, author, compute }: BesideChange): Promise<Revision | null> {
    const { repository, committer } = this.#options
    for (let attempt = 0; attempt < BESIDE_ATTEMPTS; attempt += 1) {
      const base = await this.reconcile()
      const { branch, head: from } = base
      if (!base.isHeadRevision) throw unavailable(`The newest commit ${from} is not valid`)
      const draft = await compute(await repository.findBeside(from, name), base)
      if (draft === null) return null
      const revision = await committer.writeBeside({ ...draft, name, author, base })
      const { commit: to, time, username } = revision
      if (await this.advance({ branch, from, to, time, username, reason: 'commit' }))
        return revision
    }
    throw unavailable('Others keep changing the configuration')
  }

  /** The live file while it holds an edit that is not valid. A valid one is taken over first. */
  async findInvalidEdit(): Promise<InvalidEdit | null> {
    return this.#invalidEditOf(await this.reconcile())
  }

  /**
   * Renames a live file that is not valid, puts the current document in its place, and returns its
   * new name. Null, without any change, when it is no longer that version.
   */
  async setAside(version: string): Promise<string | null> {
    const base = await this.reconcile()
    if (this.#invalidEditOf(base)?.version !== version) return null
    const name = await this.#options.committer.moveAway()
    await this.#catchUp(base.isHeadRevision ? base.headDocument : base.document, ABSENT)
    await this.reconcile()
    return name
  }

  #invalidEditOf({ live, hasInvalidEdit }: Base): InvalidEdit | null {
    if (!hasInvalidEdit) return null
    const bytes = live.kind === 'file' ? live.bytes : null
    const problems = this.#options.problems.of('live-file')?.problems ?? []
    return { version: bytes === null ? live.kind : digestOf(bytes), bytes, problems }
  }

  async #look(deadline: number | null): Promise<Outcome> {
    const { follower, live, follow, takeMovedFrom, workTree, native, refused } = this.#options
    await follow()
    const state = await follower.fastForward()
    const from = takeMovedFrom()
    if (from !== null) {
      this.#agreedHead = null
      workTree.noteReset(from, state.head)
    }
    if (native.takeTakenBack()) this.#agreedHead = null
    await refused.show(state.head)
    if (follower.takeReset()) live.invalidate()
    const base = { ...state, live: await live.read(), hasInvalidEdit: false }
    if (holds(base.live, base.headDocument)) return this.#agree(base)
    if (base.live.kind === 'absent') return this.#restore(base, deadline)
    if (base.live.kind === 'not-a-file')
      return this.#reject(base, { problems: [{ message: 'It is not a file' }] })
    if (base.live.kind === 'too-large') {
      const { size, largest } = base.live
      const message = `The file has ${size} bytes; at most ${largest} are accepted`
      return this.#reject(base, { problems: [{ message }] })
    }
    if (live.isOurs(base.live.bytes)) return this.#updateLiveFile(base)
    return this.#takeEdit({ base, live: base.live, deadline })
  }

  async #agree(base: Base): Promise<Outcome> {
    const { follower, live } = this.#options
    this.#edit = null
    await follower.keep()
    this.#clearEdit()
    if (base.headDocument === null) return base
    live.markInSync(base.headDocument)
    if (base.inspection?.ok && Buffer.compare(base.inspection.document, base.headDocument) !== 0) {
      return this.#seal(base, base.inspection)
    }
    if (this.#agreedHead !== base.head) await this.#stage(base.head, base.headDocument)
    this.#sealer = FILESYSTEM
    return base
  }

  /** Updates git's index to the branch. While a git command holds it, this waits for the next check. */
  async #stage(head: CommitSha, document: Uint8Array<ArrayBuffer>): Promise<void> {
    const { repository, workTree } = this.#options
    if (!(await repository.stageDocument(head, document))) return
    if (await workTree.moveTo(head)) this.#agreedHead = head
  }

  /**
   * Updates a live file that was not edited. When the newest commit is invalid, it holds the last
   * valid document.
   */
  async #updateLiveFile(base: Base): Promise<Outcome> {
    const document = base.isHeadRevision ? base.headDocument : base.document
    if (!holds(base.live, document)) return this.#catchUp(document, base.live.stamp)
    this.#edit = null
    await this.#options.follower.keep()
    this.#clearEdit()
    return base
  }

  /** Seals the plain secrets of the newest commit in a new one. They stay in git's history, but are not served. */
  async #seal(base: Base, inspection: Inspection & { ok: true }): Promise<'again'> {
    this.#options.report({
      level: 'warning',
      message: `Commit ${base.head} has plain secrets; they are replaced in a commit on top of it`,
    })
    const subject = `Seal the secrets that commit ${base.head.slice(0, 10)} has in plain text`
    const sealing = { door: 'sealing', author: this.#sealer, subject, message: '' } as const
    await this.commit(base, [{ ...inspection, ...sealing }])
    return 'again'
  }

  async #restore(base: Base, deadline: number | null): Promise<Outcome> {
    const isRested = this.#restOf(base.live.stamp) >= this.#options.rest
    if (deadline === null && !isRested) return 'wait'
    this.#options.report({ level: 'warning', message: 'The live file was removed and is put back' })
    return this.#catchUp(base.headDocument, base.live.stamp)
  }

  async #catchUp(document: Uint8Array<ArrayBuffer> | null, seen: string): Promise<'again'> {
    if (document !== null) await this.#options.live.replace(document, seen)
    return 'again'
  }

  async #takeEdit(look: {
    base: Base
    live: FileState
    deadline: number | null
  }): Promise<Outcome> {
    const { base, live, deadline } = look
    const { rest, stagedRest, prepare, repository } = this.#options
    if (live.stamp === this.#rejected) return this.#keepInvalidEdit(base)
    const rested = this.#restOf(live.stamp)
    if (deadline === null && rested < rest) return 'wait'
    const isStaged = await repository.isStaged(live.bytes)
    if (deadline === null && isStaged && rested < stagedRest) return 'wait'
    const origin = { door: 'live-file', author: FILESYSTEM } as const
    const ground = this.#groundOf(base)
    const prepared = await prepareEdit(prepare, live.bytes, base.document, origin, ground)
    const isInFlux = rested < rest && (isStaged || !prepared.ok)
    if (isInFlux && performance.now() < (deadline ?? 0)) return 'wait'
    if (!prepared.ok) return this.#reject(base, prepared)
    if (base.headDocument && Buffer.compare(prepared.document, base.headDocument) === 0) {
      return this.#catchUp(base.headDocument, base.live.stamp)
    }
    await this.commit(base, [{ ...prepared, ...origin, message: '' }])
    return 'again'
  }

  /** A refusal by the gate is asked about again at the next look: rules may have a time. */
  #reject(
    base: Base,
    {
      problems,
      isRefused = false,
      isDenied = false,
    }: { problems: readonly Problem[]; isRefused?: boolean; isDenied?: boolean },
  ): Promise<Base> {
    const { live, current } = base
    this.#refusedEdit =
      isDenied && live.kind === 'file' ? { document: live.bytes, base: current } : null
    if (!isRefused) this.#rejected = base.live.stamp
    const reason = describeProblems(problems)
    const message = isRefused
      ? `The edit of the live file is not taken over: ${reason}`
      : `The live file is not valid: ${reason}`
    this.#options.problems.raise({ kind: 'live-file', message, problems })
    return this.#keepInvalidEdit(base)
  }

  #groundOf({ head }: Base): ChangeGround {
    const { repository } = this.#options
    return { findBeside: (name) => repository.findBeside(head, name), message: '' }
  }

  /**
   * Stores the index: the live file counts as an edit whatever the stored index says. Git's index is
   * updated to the branch, unless it has the edit.
   */
  async #keepInvalidEdit(base: Base): Promise<Base> {
    const { follower, repository } = this.#options
    await follower.keep()
    const { head, headDocument, live } = base
    if (headDocument !== null && this.#agreedHead !== head && live.kind === 'file') {
      if (!(await repository.isStaged(live.bytes))) await this.#stage(head, headDocument)
    }
    return { ...base, hasInvalidEdit: true }
  }

  #clearEdit(): void {
    this.#refusedEdit = null
    this.#options.problems.clear('live-file')
  }

  /** The time since the live file got this stamp. */
  #restOf(stamp: string): number {
    const now = performance.now()
    if (this.#edit?.stamp !== stamp) this.#edit = { stamp, since: now }
    return now - this.#edit.since
  }
}

/** Whether the newest commit is a valid revision with exactly these bytes. */
export function isCurrent({ headDocument, isHeadRevision }: Base, document: Uint8Array): boolean {
  return isHeadRevision && headDocument !== null && Buffer.compare(headDocument, document) === 0
}
