import type { Digest } from '../../core/digest.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { bisect } from '../../lib/bisect.ts'
import { EntryHeads, headOf } from './entry-heads.ts'

/** One commit of the branch's history, whether or not it is a revision. */
export interface IndexEntry {
  readonly commit: CommitSha
  /** Whether this entry and the older ones are exactly the history of this commit. */
  readonly isCut: boolean
  /** Of its document; null when the commit's file is absent or not valid. */
  readonly digest: Digest | null
  /** Null without a digest. */
  readonly revision: Revision | null
}

/** Entries that follow each other, oldest first. */
export interface IndexSegment {
  readonly length: number
  /** What they are found by, as {@link headOf} has it. */
  readonly heads: Buffer
  /** The first call may take a moment. */
  revisionAt(row: number): Revision | null
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
  readonly #heads = new EntryHeads()
  readonly #segments: IndexSegment[] = []
  /** The place of the first entry of each stretch. */
  readonly #starts: number[] = []
  /** The places of the entries that have a revision. */
  readonly #revisions: number[] = []
  /** The places by commit, and of the newest entry with each digest. */
  readonly #byCommit = new Map<CommitSha, number>()
  readonly #byDigest = new Map<Digest, number>()
  /** How many entries the maps have: the first look-up fills them, so that a start does not wait for them. */
  #inMaps = 0

  constructor(stretches: Iterable<IndexSegment> = []) {
    for (const stretch of stretches) this.#add(stretch)
  }

  /** Adds commits that are newer than all others, oldest first. */
  append(entries: readonly IndexEntry[]): void {
    if (entries.length > 0) this.#add(segmentOf(entries))
  }

  /** How many commits there are. */
  get length(): number {
    return this.#heads.length
  }

  /** The commit that the index speaks for, or null for an empty history. */
  tip(): CommitSha | null {
    return this.length === 0 ? null : this.commitAt(this.length - 1)
  }

  /** The newest revision. */
  current(): Revision | null {
    const place = this.#revisions.at(-1)
    return place === undefined ? null : this.#revisionAt(place)
  }

  /** How many revisions there are. */
  size(): number {
    return this.#revisions.length
  }

  /** The newest revision with that digest. */
  find(digest: Digest): Revision | null {
    this.#fillMaps()
    const place = this.#byDigest.get(digest)
    return place === undefined ? null : this.#revisionAt(place)
  }

  findCommit(commit: CommitSha): Revision | null {
    const place = this.placeOf(commit)
    return place === null ? null : this.#revisionAt(place)
  }

  /** How many revisions there were with that one, or null when it is none of them. */
  numberOf(commit: CommitSha): number | null {
    const place = this.placeOf(commit)
    if (place === null || !this.#heads.hasDigestAt(place)) return null
    return lastUpTo(this.#revisions, place) + 1
  }

  /** How many commits are older than that one, or null when it is not in the history. */
  placeOf(commit: CommitSha): number | null {
    if (commit === this.tip()) return this.length - 1
    this.#fillMaps()
    return this.#byCommit.get(commit) ?? null
  }

  /** The commit with so many that are older. */
  commitAt(place: number): CommitSha {
    return this.#heads.commitAt(place)
  }

  /** Whether that commit and the older ones are exactly its history. */
  isCut(commit: CommitSha): boolean {
    const place = this.placeOf(commit)
    return place !== null && this.#heads.isCutAt(place)
  }

  list({ offset, limit }: RevisionRange): readonly Revision[] {
    const end = Math.max(0, this.#revisions.length - offset)
    const places = this.#revisions.slice(Math.max(0, end - limit), end).toReversed()
    return places.flatMap((place) => this.#revisionAt(place) ?? [])
  }

  /** The commits from a place on, oldest first. */
  entries(start = 0, end = this.length): readonly IndexEntry[] {
    return Array.from({ length: end - start }, (_, row) => this.#entryAt(start + row))
  }

  /** How many of the oldest entries there are up to the newest cut at or before a place. */
  countUpToCut(place: number): number {
    let last = place
    while (last >= 0 && !this.#heads.isCutAt(last)) last -= 1
    return last + 1
  }

  /** An index of the oldest entries alone. */
  upTo(count: number): RevisionIndex {
    const whole = this.#segments.filter((stretch, n) => this.#startOf(n) + stretch.length <= count)
    const oldest = new RevisionIndex(whole)
    oldest.append(this.entries(oldest.length, count))
    return oldest
  }

  #add(stretch: IndexSegment): void {
    const start = this.length
    this.#heads.append(stretch.heads)
    this.#segments.push(stretch)
    this.#starts.push(start)
    for (let place = start; place < this.length; place += 1) {
      if (this.#heads.hasDigestAt(place)) this.#revisions.push(place)
    }
  }

  #fillMaps(): void {
    for (; this.#inMaps < this.length; this.#inMaps += 1) {
      this.#byCommit.set(this.#heads.commitAt(this.#inMaps), this.#inMaps)
      const digest = this.#heads.digestAt(this.#inMaps)
      if (digest !== null) this.#byDigest.set(digest, this.#inMaps)
    }
  }

  #entryAt(place: number): IndexEntry {
    const heads = this.#heads
    const [commit, digest] = [heads.commitAt(place), heads.digestAt(place)]
    return { commit, isCut: heads.isCutAt(place), digest, revision: this.#revisionAt(place) }
  }

  #revisionAt(place: number): Revision | null {
    const n = lastUpTo(this.#starts, place)
    return this.#segments[n]?.revisionAt(place - this.#startOf(n)) ?? null
  }

  #startOf(n: number): number {
    return this.#starts[n] ?? 0
  }
}

function segmentOf(entries: readonly IndexEntry[]): IndexSegment {
  return {
    length: entries.length,
    heads: Buffer.from(entries.map(headOf).join('')),
    revisionAt: (row) => entries[row]?.revision ?? null,
  }
}

/** Where the last of some growing numbers that is not above a limit stands. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  return bisect({ high: numbers.length }, (place) => (numbers[place] ?? 0) <= limit) - 1
}
