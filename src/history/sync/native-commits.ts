import { ServiceError, unavailable } from '../../core/errors.ts'
import type { CommitSha } from '../../core/revision.ts'
import type { GitStore } from '../../git/git-store.ts'
import { allCommits, isReachable } from '../../git/objects/commit-walk.ts'
import { findFileInTree } from '../../git/objects/tree-walk.ts'
import { listRefsBelow } from '../../git/refs.ts'
import { readReflog } from '../../git/reflog.ts'
import type { Clock } from '../../lib/clock.ts'
import type { RevisionIndex } from '../index/revision-index.ts'
import type { GitRepository } from '../repository/git-repository.ts'
import { believe, SERVICE_COMMITTER } from '../revision/classify.ts'
import type { Inspect } from '../revision/inspection.ts'
import { bodyOf } from '../revision/message.ts'
import type {
  JudgeNative,
  NativeCommitsToJudge,
  PushedCommit,
} from '../revision/prepared-change.ts'
import type { Report } from '../revision/problems.ts'
import { holds, type LiveFile } from './live-file.ts'
import type { RefusedCommits } from './refused-commits.ts'
import type { WorkTreeSync } from './work-tree-sync.ts'

/** A move of the branch by git: from the commit that was seen last. */
interface NativeMove {
  readonly branch: string
  readonly from: CommitSha | null
  readonly to: CommitSha
}

/** Lets a move of the branch pass, or puts the branch back. False when the branch has to be read again. */
export type Admit = (move: NativeMove) => Promise<boolean>

export interface NativeCommitsOptions {
  readonly repository: GitRepository
  readonly fileName: string
  readonly keeper: { readonly index: RevisionIndex }
  readonly live: LiveFile
  readonly workTree: WorkTreeSync
  readonly refused: RefusedCommits
  readonly store: GitStore
  readonly inspect: Inspect
  /** Absent where nothing is refused. */
  readonly judgeNative?: JudgeNative
  readonly clock: Clock
  readonly report: Report
}

const BRANCHES = 'refs/heads/'
/** The mark of a line of the reflog that this service has written. */
const OWN_LINE = ` <${SERVICE_COMMITTER.email}> `

/** The revision that a native commit is judged upon. */
interface Base {
  readonly commit: CommitSha
  readonly document: Uint8Array<ArrayBuffer>
}

/**
 * Asks the gate about commits that git has made in the repository, before anything follows them. The
 * branch goes back from what does not pass, to the commit that was seen last; the commit stays under a
 * ref of its own.
 */
export class NativeCommits {
  readonly #options: NativeCommitsOptions
  #hasTakenBack = false
  /** The last move of the branch by this service, which the gate has let pass already. */
  #own: { readonly from: CommitSha; readonly to: CommitSha } | null = null

  constructor(options: NativeCommitsOptions) {
    this.#options = options
  }

  /** Whether the branch was put back since the last call. */
  takeTakenBack(): boolean {
    const has = this.#hasTakenBack
    this.#hasTakenBack = false
    return has
  }

  /** Notes a move that the gate has let pass, as of a push or of rules that were saved. */
  noteOwn(from: CommitSha, to: CommitSha): void {
    this.#own = { from, to }
  }

  readonly admit: Admit = async (move) => {
    const { to } = move
    const { judgeNative } = this.#options
    const from = this.#own !== null && this.#own.from === move.from ? this.#own.to : move.from
    if (judgeNative === undefined || from === null || from === to) return true
    if ((await this.#options.repository.reader.findCommit(from)) === null) return true
    const base = await this.#baseAt(from)
    if (base === null) return true
    const reason = await this.#refusalOf({ from, to }, base, judgeNative)
    if (reason === null) return true
    await this.#takeBack({ ...move, from }, base, reason)
    return false
  }

  /**
   * The newest commit up to which the branch was moved by this service, as after a crash between the
   * branch and the stored index. A commit without a line in the reflog is believed by its form: a power
   * cut may lose lines.
   */
  async findOwn({ branch, from, to }: NativeMove): Promise<CommitSha | null> {
    const { store, repository } = this.#options
    if (from === null || from === to) return from
    if ((await repository.reader.findCommit(from)) === null) return null
    const moves = new Map((await readReflog(store, branch)).map((each) => [each.to, each.line]))
    for (const commit of await allCommits(repository.reader, { from: to, until: from })) {
      const line = moves.get(commit.sha)
      if (line === undefined ? believe(commit) !== null : line.includes(OWN_LINE)) return commit.sha
    }
    return from
  }

  /** Null where no document can be judged against: the first revision is still to come. */
  async #baseAt(from: CommitSha): Promise<Base | null> {
    const { keeper, repository, inspect } = this.#options
    const { index } = keeper
    const isKnown = index.placeOf(from) !== null
    const revision = index.findCommit(from) ?? index.current()
    if (isKnown || revision === null) {
      const document = revision && (await repository.findDocument(revision.commit))
      return revision && document && { commit: revision.commit, document }
    }
    const document = await repository.findForeignDocument(from)
    if (document !== null && (await inspect(document)).ok) return { commit: from, document }
    const last = await repository.findDocument(revision.commit)
    return last && { commit: revision.commit, document: last }
  }

  async #refusalOf(
    { from, to }: { readonly from: CommitSha; readonly to: CommitSha },
    { document: before }: Base,
    judge: JudgeNative,
  ): Promise<string | null> {
    const { repository } = this.#options
    const record = await repository.reader.findCommit(to)
    const commits: NativeCommitsToJudge = {
      before,
      after: await repository.findForeignDocument(to),
      message: bodyOf(record?.message ?? ''),
      findBeside: (name) => repository.findBeside(from, name),
      findPushed: (name) => repository.findBeside(to, name),
      listCommits: () => this.#listCommits({ from, to }, before),
    }
    try {
      await judge(commits, { door: 'native-commit', author: record?.author ?? '' })
      return null
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not-permitted') return error.message
      throw error
    }
  }

  /** The new commits with a document, the oldest first. */
  async *#listCommits(
    { from, to }: { readonly from: CommitSha; readonly to: CommitSha },
    before: Uint8Array<ArrayBuffer>,
  ): AsyncGenerator<PushedCommit> {
    const { repository, fileName: path } = this.#options
    const { reader } = repository
    const documentOf = (commit: CommitSha) => findFileInTree(reader, { commit, path })
    const commits = await allCommits(reader, { from: to, until: from })
    for (const { sha, parents: bases, message } of commits.toReversed()) {
      const after = await documentOf(sha)
      if (after === null) continue
      const parents: Uint8Array<ArrayBuffer>[] = []
      for (const base of bases) parents.push((await documentOf(base)) ?? before)
      yield { parents, after, message: bodyOf(message) }
    }
  }

  /**
   * Keeps the commit, then the branch goes back, then the live file, git's index and the other files
   * where they are as the commit has them.
   */
  async #takeBack(
    { branch, from, to }: NativeMove & { readonly from: CommitSha },
    base: Base,
    reason: string,
  ): Promise<void> {
    const { repository, live, workTree, refused, clock, report } = this.#options
    const { reader } = repository
    const isOlder = await isReachable(reader, to, from)
    const isNewer = !isOlder && (await isReachable(reader, from, to))
    if (!isNewer) await this.#assertSameBranch({ branch, from, to }, reason)
    const time = clock()
    if (!isOlder) await refused.keep(to, base.commit, { reason, time })
    const seen = await live.read()
    const theirs = await repository.findForeignDocument(to)
    const username = SERVICE_COMMITTER.name
    const move = { branch, from: to, to: from, time, username, reason: 'refused' } as const
    if (!(await repository.advance(move))) return
    this.#hasTakenBack = true
    const ours = (await repository.findDocument(from)) ?? base.document
    if (holds(seen, theirs)) await live.replace(ours, seen.stamp)
    await workTree.takeBack(to, from)
    const name = branch.slice(BRANCHES.length)
    const what = `The branch ${name} was put back from commit ${to} to ${from}: ${reason}`
    if (isOlder) refused.noteUndone(from, what)
    else report({ level: 'warning', message: what })
    await refused.show(from)
  }

  /** A branch that is checked out beside the one that was followed is not moved to where that is. */
  async #assertSameBranch({ branch, from, to }: NativeMove, reason: string): Promise<void> {
    const branches = await listRefsBelow(this.#options.store, BRANCHES)
    const other = [...branches].find(([ref, commit]) => ref !== branch && commit === from)
    if (other === undefined) return
    const [name, last] = [branch, other[0]].map((ref) => ref.slice(BRANCHES.length))
    throw unavailable(
      `The branch ${name} is checked out at commit ${to}, which may not become current: ${reason}. Check ${last} out again`,
    )
  }
}
