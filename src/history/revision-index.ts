import type { Digest } from '../core/digest.ts'
import type { CommitSha, Revision } from '../core/revision.ts'

/** One commit of the branch's history, whether or not it is a revision. */
export interface IndexEntry {
  readonly commit: CommitSha
  /** Whether this entry and the older ones are exactly the history of this commit. */
  readonly isCut: boolean
  /** Of its document; null when the commit's file is absent or not valid. */
  readonly digest: Digest | null
  /** Null without a digest. Reading it may take a moment, so that it is asked for last. */
  readonly revision: Revision | null
}

/** A range of the list of revisions, newest first. */
export interface RevisionRange {
  readonly offset: number
  readonly limit: number
}

/**
 * Every commit of the branch in the order of `git log --date-order`, and the revisions among them.
 *
 * A look-up costs the same at any length of the history. The newest entry is the commit that the
 * index speaks for, so it is always a cut.
 */
export class RevisionIndex {
  readonly #entries: IndexEntry[] = []
  readonly #places = new Map<CommitSha, number>()
  /** The entries that have a revision. */
  readonly #revisions: IndexEntry[] = []
  readonly #byDigest = new Map<Digest, IndexEntry>()
  /** How many revisions there are up to each place. */
  readonly #counts: number[] = []

  constructor(entries: Iterable<IndexEntry> = []) {
    this.append(entries)
  }

  /** Adds commits that are newer than all others, oldest first. */
  append(entries: Iterable<IndexEntry>): void {
    for (const entry of entries) {
      const { commit, digest } = entry
      this.#places.set(commit, this.#entries.push(entry) - 1)
      if (digest !== null) this.#revisions.push(entry)
      this.#counts.push(this.#revisions.length)
      if (digest !== null) this.#byDigest.set(digest, entry)
    }
  }

  /** The commit that the index speaks for, or null for an empty history. */
  tip(): CommitSha | null {
    return this.#entries.at(-1)?.commit ?? null
  }

  /** The newest revision. */
  current(): Revision | null {
    return this.#revisions.at(-1)?.revision ?? null
  }

  /** How many revisions there are. */
  size(): number {
    return this.#revisions.length
  }

  /** The newest revision with that digest. */
  find(digest: Digest): Revision | null {
    return this.#byDigest.get(digest)?.revision ?? null
  }

  findCommit(commit: CommitSha): Revision | null {
    const place = this.#places.get(commit)
    return place === undefined ? null : (this.#entries[place]?.revision ?? null)
  }

  /** How many revisions there were with that one, or null when it is none of them. */
  numberOf(commit: CommitSha): number | null {
    const place = this.#places.get(commit)
    const entry = place === undefined ? undefined : this.#entries[place]
    if (place === undefined || !entry || entry.digest === null) return null
    return this.#counts[place] ?? null
  }

  /** How many commits are older than that one, or null when it is not in the history. */
  placeOf(commit: CommitSha): number | null {
    return this.#places.get(commit) ?? null
  }

  /** Whether that commit and the older ones are exactly its history. */
  isCut(commit: CommitSha): boolean {
    const place = this.#places.get(commit)
    return place !== undefined && this.#entries[place]?.isCut === true
  }

  list({ offset, limit }: RevisionRange): readonly Revision[] {
    const end = Math.max(0, this.#revisions.length - offset)
    const listed = this.#revisions.slice(Math.max(0, end - limit), end).toReversed()
    return listed.flatMap(({ revision }) => revision ?? [])
  }

  /** Every commit, oldest first. */
  entries(): readonly IndexEntry[] {
    return this.#entries
  }

  /** The oldest entries up to the newest cut at or before a place. */
  entriesUpToCut(place: number): readonly IndexEntry[] {
    let last = place
    while (last >= 0 && this.#entries[last]?.isCut === false) last -= 1
    return this.#entries.slice(0, last + 1)
  }
}
