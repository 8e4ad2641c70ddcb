import type { CommitSha, Revision } from '../../core/revision.ts'
import { fsErrorCode } from '../../storage/fs-error.ts'
import { believe, type Classification, classify } from '../revision/classify.ts'
import type { Report } from '../revision/problems.ts'
import type { CommitRecord, ObjectReader } from '../../git/object-reader.ts'
import { type IndexEntry, RevisionIndex, type IndexSegment } from './revision-index.ts'
import type { RevisionEvent } from '../revision/revision-events.ts'
import { findFileInTree } from '../../git/tree-walk.ts'

export interface BranchNews extends RevisionEvent {
  /** Whether the branch went back to a commit that it had come past. */
  readonly isReset: boolean
}

const NO_NEWS: BranchNews = { added: [], isRewritten: false, isReset: false }

/** Where the index is kept between two starts. */
export interface IndexStore {
  /** Whether it holds exactly what it was told last. */
  readonly isWhole: boolean
  /** The entries that can be relied on, oldest first. */
  load(): Promise<readonly IndexSegment[]>
  /** Keeps an index, whose last `added` entries are new. */
  write(kept: { index: RevisionIndex; added: number }): Promise<void>
  /** Some of what is kept is no longer so. */
  distrust(): void
}

/** Keeps nothing: for an index that is made to be looked at once. */
export const NO_STORE: IndexStore = {
  isWhole: true,
  load: async () => [],
  write: async () => {},
  distrust: () => {},
}

export interface KeeperContext extends Classification {
  readonly reader: ObjectReader
  readonly fileName: string
}

/** A commit on its way into the index; its message is let go once it is believed. */
interface Listed extends Pick<CommitRecord, 'sha' | 'parents'> {
  readonly found: Revision | CommitRecord
}

/**
 * Keeps the index equal to what reading the whole history of the branch would give.
 *
 * New commits are added to the newest entries that are the whole history of a commit from which
 * all new ones descend. Where there is no such place, everything is read again.
 */
export class IndexKeeper {
  readonly #file: IndexStore
  readonly #context: KeeperContext
  readonly #report: Report
  #index = new RevisionIndex()
  /** How many of the newest entries the file does not hold yet. */
  #fresh = 0

  constructor(file: IndexStore, context: KeeperContext, report: Report = () => {}) {
    this.#report = report
    this.#file = file
    this.#context = context
  }

  get index(): RevisionIndex {
    return this.#index
  }

  /** Takes what the file holds up to its newest cut. */
  async load(): Promise<void> {
    const loaded = new RevisionIndex(await this.#file.load())
    const kept = loaded.countUpToCut(loaded.length - 1)
    if (kept < loaded.length) this.#file.distrust()
    this.#index = kept < loaded.length ? loaded.upTo(kept) : loaded
  }

  /**
   * Makes the index speak for a commit. The file learns of it by {@link keep}, once the live file
   * is there too: after a crash it says what the live file held.
   */
  async follow(head: CommitSha): Promise<BranchNews> {
    if (this.#index.tip() === head) return NO_NEWS
    const { kept, commits } = await this.#findBase(head)
    const isRewritten = kept < this.#index.length
    const isReset = isRewritten && this.#index.placeOf(head) !== null
    const entries = await this.#entriesOf(commits, this.#newestOf(kept))
    const added = entries.flatMap(({ revision }) => (revision ? [revision] : []))
    if (isRewritten) this.#index = this.#index.upTo(kept)
    if (isRewritten) this.#file.distrust()
    this.#append(entries)
    return { added, isRewritten, isReset }
  }

  /** Adds a revision whose parent is the tip. */
  async append(revision: Revision): Promise<void> {
    const { commit, digest } = revision
    this.#append([{ commit, isCut: true, digest, revision }])
    await this.keep()
  }

  /** The index is derived, so that nothing fails because it cannot be kept; a later call keeps it whole. */
  async keep(): Promise<void> {
    if (this.#fresh === 0 && this.#file.isWhole) return
    const added = this.#fresh
    this.#fresh = 0
    try {
      await this.#file.write({ index: this.#index, added })
    } catch (error) {
      const code = fsErrorCode(error)
      if (code === null) throw error
      this.#report({ level: 'warning', message: 'The index cannot be kept', facts: { code } })
    }
  }

  #append(entries: readonly IndexEntry[]): void {
    this.#index.append(entries)
    this.#fresh += entries.length
  }

  /** How many entries may stay, and every commit of `head` that is not among them, newest first. */
  async #findBase(head: CommitSha): Promise<{ kept: number; commits: readonly Listed[] }> {
    let kept = await this.#keptByGit()
    for (;;) {
      const base = this.#newestOf(kept)
      const commits = await this.#list(head, base)
      const place = this.#oldestStray(head, { base, commits })
      if (place === null) return { kept, commits }
      kept = this.#index.countUpToCut(Math.min(place, kept - 2))
    }
  }

  /** A commit that was reset away may be pruned; then nothing can be told from it. */
  async #keptByGit(): Promise<number> {
    const tip = this.#index.tip()
    const isKept = tip !== null && (await this.#context.reader.findCommit(tip)) !== null
    return isKept ? this.#index.length : 0
  }

  /** The newest of so many commits. */
  #newestOf(count: number): CommitSha | null {
    return count === 0 ? null : this.#index.commitAt(count - 1)
  }

  async #list(from: CommitSha, until: CommitSha | null): Promise<readonly Listed[]> {
    const commits: Listed[] = []
    for await (const commit of this.#context.reader.listCommits({ from, until })) {
      const { sha, parents } = commit
      commits.push({ sha, parents, found: believe(commit) ?? commit })
    }
    return commits
  }

  /**
   * The place up to which entries may stay when not all commits descend from `base` alone; null when
   * they do. Git may list a commit that is older than `base` when clocks were wrong: it is a stray too.
   */
  #oldestStray(
    head: CommitSha,
    { base, commits }: { base: CommitSha | null; commits: readonly Listed[] },
  ): number | null {
    if (base === null || base === head) return null
    const index = this.#index
    if (commits.length === 0) return index.placeOf(head) ?? -1
    const end = index.placeOf(base) ?? -1
    const fresh = new Set([base, ...commits.map(({ sha }) => sha)])
    const places = commits.flatMap(({ sha, parents }) => {
      const known = index.placeOf(sha)
      if (known !== null && known <= end) return [known - 1]
      if (parents.length === 0) return [-1]
      return parents.filter((each) => !fresh.has(each)).map((each) => index.placeOf(each) ?? -1)
    })
    return places.length === 0 ? null : Math.min(...places)
  }

  async #entriesOf(
    commits: readonly Listed[],
    base: CommitSha | null,
  ): Promise<readonly IndexEntry[]> {
    const entries: IndexEntry[] = []
    const heads = new Set(base === null ? [] : [base])
    for (const commit of commits.toReversed()) {
      for (const parent of commit.parents) heads.delete(parent)
      heads.add(commit.sha)
      const { sha, found } = commit
      const revision = 'digest' in found ? found : await this.#classify(found)
      const digest = revision?.digest ?? null
      entries.push({ commit: sha, isCut: heads.size === 1, digest, revision })
    }
    return entries
  }

  async #classify(commit: CommitRecord): Promise<Revision | null> {
    const { reader, fileName: path } = this.#context
    const document = await findFileInTree(reader, { commit: commit.sha, path })
    return classify(commit, document, this.#context)
  }
}
