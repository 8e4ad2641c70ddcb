import type { CommitSha, Revision } from '../core/revision.ts'
import { type Classification, classify } from './classify.ts'
import type { CommitRecord } from './object-reader.ts'
import { type IndexEntry, RevisionIndex } from './revision-index.ts'
import type { RevisionNews } from './revision-news.ts'

const NO_NEWS: RevisionNews = { added: [], isRewritten: false }

/** Where the index is kept between two starts. */
export interface IndexStore {
  /** The entries that can be relied on, oldest first. */
  load(): Promise<readonly IndexEntry[]>
  /** Keeps `all`, whose last `added` entries are new. */
  write(entries: { all: readonly IndexEntry[]; added: number }): Promise<void>
  /** Some of what is kept is no longer so. */
  distrust(): void
}

/** Keeps nothing: for an index that is made to be looked at once. */
export const NO_STORE: IndexStore = {
  load: async () => [],
  write: async () => {},
  distrust: () => {},
}

/**
 * Keeps the index equal to what reading the whole history of the branch would give.
 *
 * New commits are added to the newest entries that are the whole history of a commit from which
 * all new ones descend. Where there is no such place, everything is read again.
 */
export class IndexKeeper {
  readonly #file: IndexStore
  readonly #context: Classification
  #index = new RevisionIndex()

  constructor(file: IndexStore, context: Classification) {
    this.#file = file
    this.#context = context
  }

  get index(): RevisionIndex {
    return this.#index
  }

  /** Takes what the file holds up to its newest cut. */
  async load(): Promise<void> {
    const loaded = new RevisionIndex(await this.#file.load())
    const entries = loaded.entriesUpToCut(loaded.entries().length - 1)
    if (entries.length < loaded.entries().length) this.#file.distrust()
    this.#index = entries.length < loaded.entries().length ? new RevisionIndex(entries) : loaded
  }

  /** Makes the index speak for a commit. */
  async follow(head: CommitSha): Promise<RevisionNews> {
    if (this.#index.tip() === head) return NO_NEWS
    const { kept, commits } = await this.#findBase(head)
    const isRewritten = kept.length < this.#index.entries().length
    const entries = await this.#entriesOf(commits, kept.at(-1)?.commit ?? null)
    const added = entries.flatMap(({ revision }) => (revision ? [revision] : []))
    if (isRewritten) this.#index = new RevisionIndex(kept)
    if (isRewritten) this.#file.distrust()
    this.#index.append(entries)
    await this.#write(entries.length)
    return { added, isRewritten }
  }

  /** Adds a revision whose parent is the tip. */
  async append(revision: Revision): Promise<void> {
    this.#index.append([{ commit: revision.commit, isCut: true, revision }])
    await this.#write(1)
  }

  /** How many entries may stay, and every commit of `head` that is not among them, newest first. */
  async #findBase(
    head: CommitSha,
  ): Promise<{ kept: readonly IndexEntry[]; commits: readonly CommitRecord[] }> {
    let kept = await this.#keptByGit()
    for (;;) {
      const base = kept.at(-1)?.commit ?? null
      const commits = await this.#list(head, base)
      const oldest = this.#oldestStrayParent(head, { base, commits })
      if (oldest === null) return { kept, commits }
      kept = this.#index.entriesUpToCut(Math.min(oldest, kept.length - 2))
    }
  }

  /** A commit that was reset away may be pruned; then nothing can be told from it. */
  async #keptByGit(): Promise<readonly IndexEntry[]> {
    const tip = this.#index.tip()
    const isKept = tip !== null && (await this.#context.reader.findCommit(tip)) !== null
    return isKept ? this.#index.entries() : []
  }

  async #list(from: CommitSha, until: CommitSha | null): Promise<readonly CommitRecord[]> {
    const commits: CommitRecord[] = []
    for await (const commit of this.#context.reader.listCommits({ from, until })) {
      commits.push(commit)
    }
    return commits
  }

  /** The place up to which entries may stay when commits do not all descend from `base`; null when they do. */
  #oldestStrayParent(
    head: CommitSha,
    { base, commits }: { base: CommitSha | null; commits: readonly CommitRecord[] },
  ): number | null {
    if (base === null || base === head) return null
    if (commits.length === 0) return this.#index.placeOf(head) ?? -1
    const known = new Set([base, ...commits.map(({ sha }) => sha)])
    const parents = commits.map((commit) => (commit.parents.length === 0 ? [null] : commit.parents))
    const stray = parents.flat().filter((parent) => parent === null || !known.has(parent))
    if (stray.length === 0) return null
    return Math.min(...stray.map((parent) => (parent && this.#index.placeOf(parent)) ?? -1))
  }

  async #entriesOf(
    commits: readonly CommitRecord[],
    base: CommitSha | null,
  ): Promise<readonly IndexEntry[]> {
    const entries: IndexEntry[] = []
    const heads = new Set(base === null ? [] : [base])
    for (const commit of commits.toReversed()) {
      for (const parent of commit.parents) heads.delete(parent)
      heads.add(commit.sha)
      const revision = await classify(commit, this.#context)
      entries.push({ commit: commit.sha, isCut: heads.size === 1, revision })
    }
    return entries
  }

  async #write(added: number): Promise<void> {
    await this.#file.write({ all: this.#index.entries(), added })
  }
}
