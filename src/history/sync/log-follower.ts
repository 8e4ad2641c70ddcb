import nodeFs from 'node:fs/promises'
import { unavailable } from '../../core/errors.ts'
import { CommitSha } from '../../core/revision.ts'
import type { Clock } from '../../lib/clock.ts'
import { readReflog } from '../../git/reflog.ts'
import { listNamesBelow } from '../../git/refs.ts'
import type { GitRepository } from '../repository/git-repository.ts'
import { type Prepare, prepareEdit } from '../revision/prepared-change.ts'
import type { Problems, Report } from '../revision/problems.ts'
import type { Committer } from './committer.ts'
import type { Admit } from './native-commits.ts'
import { ABSENT, holds, type LiveFile, type LiveFileState } from './live-file.ts'
import {
  addPacks,
  areRelated,
  isAncestor,
  listNewest,
  type PackStore,
  type Publish,
} from '../log/log-packs.ts'
import type { LogEntry, RevisionLog } from '../log/revision-log.ts'

export interface LogFollowerOptions {
  readonly log: RevisionLog
  readonly store: PackStore
  readonly repository: GitRepository
  readonly live: LiveFile
  readonly committer: Committer
  readonly publish: Publish
  readonly prepare: Prepare
  /** Asked before native commits are published. */
  readonly admit: Admit
  readonly problems: Problems
  readonly clock: Clock
  readonly report: Report
}

/** The branch of this repository, which is not where the log is. */
interface Behind {
  readonly branch: string
  readonly local: CommitSha | null
  readonly head: LogEntry
}

/** The name of no object. */
const ABSENT_OBJECT = /^0+$/
const CONFLICTS = 'refs/conflicts/'
/** The number of native commits that are searched for one with an entry. */
const LOOKED_THROUGH = 1_000

/**
 * Moves the branch of this repository to the head of the log, before anything else reads it.
 * Commits that only this repository has, such as native ones, are published when they follow the
 * newest entry. Otherwise another server was faster: they are retained below `refs/conflicts/`, and
 * the log wins.
 */
export class LogFollower {
  readonly #options: LogFollowerOptions
  /** The commit of the branch when it agreed with the log last; undefined before the first look. */
  #agreed: CommitSha | null | undefined = undefined
  /** The commit from which the branch was moved first since the last question about it. */
  #movedFrom: CommitSha | null = null
  /** The edit that was preserved last, and its base: it is still there while the branch cannot be moved. */
  #kept: { readonly stamp: string; readonly local: CommitSha | null } | null = null
  /** A reset of the branch that was undone; it is shown until the next revision. */
  #undone: { readonly head: CommitSha; readonly message: string } | null = null

  constructor(options: LogFollowerOptions) {
    this.#options = options
  }

  /** Whether a commit is where the branch agreed with the log; follows again where it is not. */
  readonly admitAgreed: Admit = async ({ to }) => {
    if (to === this.#agreed) return true
    await this.follow()
    return false
  }

  /** Returns the commit from which the branch was moved since the last call, if it was. */
  readonly takeMovedFrom = (): CommitSha | null => {
    const from = this.#movedFrom
    this.#movedFrom = null
    return from
  }

  /** @throws {ServiceError} `unavailable` while the log cannot be read. */
  async follow(): Promise<void> {
    const { log, repository, publish, store } = this.#options
    for (;;) {
      const { branch, commit: local } = await repository.readHead()
      if (branch === null || (await repository.findUnfinished()) !== null) return
      if (this.#agreed === undefined) this.#agreed = await this.#leftFrom(branch, local)
      const head = await log.head()
      if (head?.commit !== this.#undone?.head) this.#undone = null
      await this.#showConflicts()
      if (local === (head?.commit ?? null)) {
        this.#agreed = local
        return
      }
      const isAhead =
        local !== null && (head === null || (await isAncestor(store, head.commit, local)))
      if (isAhead) {
        const move = { branch, from: head?.commit ?? null, to: local }
        if (!(await this.#options.admit(move))) continue
        if (await publish({ from: head?.commit ?? null, to: local })) {
          this.#agreed = local
          return
        }
      } else if (head !== null && (await this.#catchUp({ branch, local, head }))) {
        this.#movedFrom ??= local
        return
      }
    }
  }

  /** Returns false when the branch was moved meanwhile. */
  async #catchUp(behind: Behind): Promise<boolean> {
    const { branch, local, head } = behind
    const { store, repository, live, clock } = this.#options
    await this.#fetch(local)
    if (local !== null && !(await areRelated(store, local, head.commit))) {
      throw unavailable(
        'The repository has a history without any commit of the database: start with an empty folder as --config-repo',
      )
    }
    const document = await repository.findDocument(head.commit)
    const seen = await live.read()
    const stamp = holds(seen, document) ? seen.stamp : await this.#keepEdit(behind, seen)
    if (local !== null && !(await isAncestor(store, local, head.commit))) await this.#keep(local)
    await this.#noteReset(behind)
    const move = { branch, from: local, to: head.commit, time: clock() }
    if (!(await repository.advance({ ...move, username: 'database', reason: 'log' }))) return false
    this.#agreed = head.commit
    const isNew = local === null && seen.kind === 'absent'
    if (document !== null && (isNew || seen.kind === 'file')) await live.replace(document, stamp)
    return true
  }

  /**
   * Reports to operators that a move back of the branch is undone: other servers have the dropped
   * commits.
   */
  async #noteReset({ branch, local, head: { commit } }: Behind): Promise<void> {
    const agreed = this.#agreed ?? null
    if (local === null || agreed === null || local === agreed) return
    if (!(await isAncestor(this.#options.store, local, agreed))) return
    const message = `The branch ${branch} was reset to commit ${local} on this server, and is put back to ${commit}, as the other servers have it: to return to a revision, restore it`
    this.#undone = { head: commit, message }
    await this.#showConflicts()
  }

  /** The commit from which the branch was moved last, by its reflog: perhaps while no server ran. */
  async #leftFrom(branch: string, local: CommitSha | null): Promise<CommitSha | null> {
    const { gitDir } = this.#options.store
    const last = (await readReflog({ fs: nodeFs, gitDir }, branch)).at(-1)
    if (last === undefined || last.to !== local || ABSENT_OBJECT.test(last.from)) return null
    return CommitSha.parse(last.from)
  }

  /** Adds the objects of all entries that this repository lacks. */
  async #fetch(local: CommitSha | null): Promise<void> {
    const { log, store } = this.#options
    const known = local === null ? [] : await listNewest(store, local, LOOKED_THROUGH)
    const newest = await log.findNewest(known.map((commit) => CommitSha.parse(commit)))
    await addPacks(store, log.packsAfter(newest?.sequence ?? 0))
  }

  /**
   * Preserves an edit of the live file that was based on an older commit. Returns the stamp of the
   * live file afterwards.
   */
  async #keepEdit({ branch, local }: Behind, seen: LiveFileState): Promise<string> {
    if (seen.kind !== 'file') return seen.stamp
    const { repository, live, committer, prepare } = this.#options
    const before = local === null ? null : await repository.findDocument(local)
    if (holds(seen, before) || live.isOurs(seen.bytes)) return seen.stamp
    if (this.#kept?.stamp === seen.stamp && this.#kept.local === local) return seen.stamp
    const origin = { door: 'live-file', author: 'Filesystem' } as const
    const findBeside = async (name: string) => local && (await repository.findBeside(local, name))
    const ground = { findBeside, message: '' }
    const prepared = await prepareEdit(prepare, seen.bytes, before, origin, ground)
    if (prepared.ok) {
      const edit = { ...prepared, ...origin, message: '' }
      await this.#keep(await committer.writeOnly({ branch, parent: local, changes: [edit] }))
      this.#kept = { stamp: seen.stamp, local }
      return seen.stamp
    }
    await committer.moveAway()
    return ABSENT
  }

  async #keep(commit: CommitSha): Promise<void> {
    const { repository, clock, report } = this.#options
    const ref = `${CONFLICTS}${commit}`
    await repository.keepAs(ref, commit, clock())
    report({
      level: 'warning',
      message: `Another server was faster: what was changed here is kept as ${ref}`,
    })
    await this.#showConflicts()
  }

  async #showConflicts(): Promise<void> {
    const { problems } = this.#options
    const [first, ...others] = await this.#listConflicts()
    const messages = this.#undone === null ? [] : [this.#undone.message]
    if (first !== undefined) {
      const more = others.length === 0 ? '' : `, and ${others.length} more`
      messages.push(
        `A change of this folder lost against one of another server and is kept as ${first}${more}: see git show, save again what is still wanted, then git update-ref -d ${first}`,
      )
    }
    if (messages.length === 0) return problems.clear('conflict')
    problems.raise({ kind: 'conflict', message: messages.join('. '), problems: [] })
  }

  async #listConflicts(): Promise<readonly string[]> {
    const { gitDir } = this.#options.store
    const names = await listNamesBelow({ fs: nodeFs, gitDir }, CONFLICTS)
    return names.map((name) => CONFLICTS + name)
  }
}
