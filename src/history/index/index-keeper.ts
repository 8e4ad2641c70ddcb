import type { CommitSha, Revision } from '../../core/revision.ts'
import { fsErrorCode } from '../../storage/fs-error.ts'
import type { Archived } from '../record/archive-record.ts'
import type { BranchRewrite } from '../dropped/dropped-refs.ts'
import { Turns } from '../../lib/cooperative.ts'
import { LazyList } from '../../lib/lazy-list.ts'
import type { Report } from '../revision/problems.ts'
import { IndexLine } from './index-line.ts'
import {
  type CommitLink,
  commitsOf,
  DoubtfulDigests,
  isRun,
  linksOf,
  type ListedCommit,
  ListedCommits,
} from './listed-commits.ts'
import {
  type IndexEntry,
  type IndexPart,
  RevisionIndex,
  type IndexSegment,
} from './revision-index.ts'
import type { RevisionEvent } from '../revision/revision-events.ts'
import { type CommitReading, revisionOf } from '../revision/revision-of.ts'

export interface BranchEvent extends RevisionEvent {
  /** Whether the branch moved back to one of its earlier commits. */
  readonly isReset: boolean
}

const READ_ANEW = 'The history is read anew: another version of the program has listed it'
const NO_CHANGE: BranchEvent = { added: LazyList.of([]), isRewritten: false, isReset: false }

/** Persists the index between two starts. */
export interface IndexStore {
  /** Whether it holds exactly the last index that was written. */
  readonly isWhole: boolean
  /** The commit with which the loaded store ends whose entries cannot be used; null for none. */
  readonly formerTip: CommitSha | null
  /** The undamaged entries, oldest first. */
  load(): Promise<readonly IndexSegment[]>
  /** Stores an index whose last `added` entries are new. */
  write(next: { index: RevisionIndex; added: number }): Promise<void>
  /** Marks stored entries as outdated: the next write replaces all of them. */
  invalidate(): void
}

/** Stores nothing: for an index that is used once. */
export const NO_INDEX_STORE: IndexStore = {
  isWhole: true,
  formerTip: null,
  load: async () => [],
  write: async () => {},
  invalidate: () => {},
}

export interface KeeperContext extends CommitReading {
  /** The archived part of the history; absent or null when there is none. */
  readonly archived?: Archived | null
  /** Called before the index forgets what the branch was taken from; absent where nothing is to be kept. */
  readonly keepFormer?: (rewrite: BranchRewrite) => Promise<void>
}

/**
 * Keeps the index equal to a reading of the whole history of the branch.
 *
 * New commits are appended to the longest closed prefix whose last commit is an ancestor of all of
 * them. Where there is none, everything is read again.
 */
export class IndexKeeper {
  readonly #file: IndexStore
  readonly #context: KeeperContext
  readonly #report: Report
  #index: RevisionIndex
  /** How many of the newest entries the store lacks. */
  #unwritten = 0
  /** Why it could not be stored at the last attempt, which has been reported; null when it was. */
  #fault: string | null = null

  constructor(file: IndexStore, context: KeeperContext, report: Report = () => {}) {
    this.#report = report
    this.#file = file
    this.#context = context
    this.#index = new RevisionIndex([], context.archived?.revisions)
  }

  get index(): RevisionIndex {
    return this.#index
  }

  /**
   * Loads the stored entries up to the last closed one. Where another program has stored them, as
   * before an upgrade, the history is read again up to the same commit: what it did not have is
   * still to be judged.
   */
  async load(): Promise<void> {
    const archived = this.#context.archived?.revisions
    const loaded = new RevisionIndex(await this.#file.load(), archived)
    const closed = loaded.countClosed(loaded.length - 1)
    if (closed < loaded.length) this.#file.invalidate()
    this.#index = closed < loaded.length ? loaded.upTo(closed) : loaded
    const former = this.#file.formerTip
    if (former === null || (await this.#context.reader.findCommit(former)) === null) return
    this.#report({ level: 'info', message: READ_ANEW })
    await this.moveTo(former)
  }

  /**
   * Moves the index to a commit. The caller stores it by {@link keep} after the live file: after a
   * crash the store then names the last content of the live file.
   */
  async moveTo(head: CommitSha): Promise<BranchEvent> {
    if (this.#index.tip() === head) return NO_CHANGE
    const { closed, commits } = await this.#findBase(head)
    const isRewritten = closed < this.#index.length
    const isReset = isRewritten && this.#index.placeOf(head) !== null
    const parts = await this.#read(commits, { base: this.#newestOf(closed), head })
    if (isRewritten) await this.#forgetFrom(closed, head)
    for (const part of parts) this.#append(part)
    return { added: this.#index.revisionsFrom(closed), isRewritten, isReset }
  }

  /** Adds revisions, each upon the one before, the first of them upon the tip. */
  async append(revisions: readonly Revision[]): Promise<void> {
    this.#append(
      revisions.map((revision) => {
        const { commit, digest } = revision
        return { commit, isClosed: true, parents: null, digest, revision }
      }),
    )
    await this.keep()
  }

  /** Stores the index. It is derived, so a failure is only logged; a later call writes all of it. */
  async keep(): Promise<void> {
    if (this.#unwritten === 0 && this.#file.isWhole) return
    const added = this.#unwritten
    this.#unwritten = 0
    try {
      await this.#file.write({ index: this.#index, added })
      this.#fault = null
    } catch (error) {
      const code = fsErrorCode(error)
      if (code === null) throw error
      if (code === this.#fault) return
      this.#fault = code
      this.#report({ level: 'warning', message: 'The index cannot be stored', facts: { code } })
    }
  }

  async #forgetFrom(place: number, head: CommitSha): Promise<void> {
    const former = this.#index.tip()
    if (former !== null) await this.#context.keepFormer?.({ former, head })
    this.#index = this.#index.upTo(place)
    this.#file.invalidate()
  }

  #append(part: IndexPart): void {
    const before = this.#index.length
    this.#index.append(part)
    this.#unwritten += this.#index.length - before
  }

  /** How many entries may stay, and every commit of `head` behind them. */
  async #findBase(head: CommitSha): Promise<{ closed: number; commits: ListedCommits }> {
    let closed = await this.#countInGit()
    for (;;) {
      const base = this.#newestOf(closed)
      const commits = await this.#list(head, base)
      const place = await this.#lowestOutsideParent(head, { base, commits })
      if (place === null) return { closed, commits }
      closed = this.#index.countClosed(Math.min(place, closed - 2))
    }
  }

  /** Git may have pruned a commit after a reset; then no entry can be reused. */
  async #countInGit(): Promise<number> {
    const tip = this.#index.tip()
    const isKept = tip !== null && (await this.#context.reader.findCommit(tip)) !== null
    return isKept ? this.#index.length : 0
  }

  /** The newest of the first `count` commits. */
  #newestOf(count: number): CommitSha | null {
    return count === 0 ? null : this.#index.commitAt(count - 1)
  }

  async #list(from: CommitSha, until: CommitSha | null): Promise<ListedCommits> {
    const commits = new ListedCommits()
    for await (const batch of this.#context.reader.listCommits({ from, until })) commits.add(batch)
    return commits
  }

  /**
   * The lowest place of a parent outside of the new commits and `base`; null when all descend from
   * `base` alone. With wrong clocks git may list a commit that is older than `base`; it counts as
   * such a parent.
   */
  async #lowestOutsideParent(
    head: CommitSha,
    { base, commits }: { base: CommitSha | null; commits: ListedCommits },
  ): Promise<number | null> {
    if (base === null || base === head) return null
    const index = this.#index
    if (commits.length === 0) return index.placeOf(head) ?? -1
    const end = index.placeOf(base) ?? -1
    const placesOutside = ({ sha, parents }: CommitLink) => {
      const place = index.placeOf(sha)
      if (place !== null && place <= end) return [place - 1]
      if (parents.length === 0) return [-1]
      return parents.filter((each) => !fresh.has(each)).map((each) => index.placeOf(each) ?? -1)
    }
    const fresh = new Set([base])
    let lowest = Infinity
    const turns = new Turns()
    // Parents are older, so they are fresh or outside by the time that their children are looked at.
    for (const part of commits.parts()) {
      for (const link of linksOf(part)) {
        for (const place of placesOutside(link)) lowest = Math.min(lowest, place)
        fresh.add(link.sha)
      }
      if (turns.isOver) await turns.next()
    }
    return lowest === Infinity ? null : lowest
  }

  /** The entries of commits based on `base`, oldest first. */
  async #read(
    commits: ListedCommits,
    { base, head }: { base: CommitSha | null; head: CommitSha },
  ): Promise<readonly IndexPart[]> {
    const parts: IndexPart[] = []
    const doubts = new DoubtfulDigests({ index: this.#index, newest: head })
    let tips = new Set(base === null ? [] : [base])
    let before = base
    for (const part of commits.parts()) {
      const doubtful = doubts.in(part)
      if (isRun(part) && doubtful.size === 0 && part.base === before && tips.size < 2) {
        parts.push(part.line)
        before = part.line.keys.commitAt(part.line.keys.length - 1)
        tips = new Set([before])
        continue
      }
      const entries: IndexEntry[] = []
      for (const commit of commitsOf(part)) {
        const { sha, parents, found } = commit
        for (const parent of parents) tips.delete(parent)
        tips.add(sha)
        const isKnown = 'digest' in found && !doubtful.has(sha)
        const revision = isKnown ? found : await this.#readRevision(commit)
        const shape = { isClosed: tips.size === 1, parents: parentsBut(before, commit) }
        entries.push({ commit: sha, ...shape, digest: revision?.digest ?? null, revision })
        before = sha
      }
      parts.push(isRun(part) ? IndexLine.of(entries) : entries)
    }
    return parts
  }

  async #readRevision({ sha, found }: ListedCommit): Promise<Revision | null> {
    const record = 'digest' in found ? await this.#context.reader.findCommit(sha) : found
    return record && revisionOf(record, this.#context)
  }
}

/** The parents of a commit; null when that is the commit before it alone, or nothing is before it. */
function parentsBut(
  before: CommitSha | null,
  { parents }: CommitLink,
): CommitLink['parents'] | null {
  const [first = null, ...others] = parents
  return first === before && others.length === 0 ? null : parents
}
