import type { Digest } from '../../core/digest.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { bisect } from '../../lib/bisect.ts'
import { EntryKeys, keyOf } from './entry-keys.ts'

/** One commit of the branch's history, whether or not it is a revision. */
export interface IndexEntry {
  readonly commit: CommitSha
  /** Whether this entry and the older ones are exactly the history of this commit. */
  readonly isClosed: boolean
  /** Of its document; null when the commit's file is absent or not valid. */
  readonly digest: Digest | null
  /** Null without a digest. */
  readonly revision: Revision | null
}

/** Entries that follow each other, oldest first. */
export interface IndexSegment {
  readonly length: number
  /** Their keys, as {@link keyOf} renders them. */
  readonly keys: Buffer
  /** The first call parses the segment. */
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
 * The cost of a look-up does not depend on the length of the history. The newest entry is the
 * commit that the index describes, so it is always closed.
 */
export class RevisionIndex {
  readonly archived: number
  readonly #keys = new EntryKeys()
  readonly #segments: IndexSegment[] = []
  /** The place of the first entry of each segment. */
  readonly #starts: number[] = []
  /** The places of the entries that have a revision. */
  readonly #revisions: number[] = []
  /** The places by commit, and of the newest entry with each digest. */
  readonly #byCommit = new Map<CommitSha, number>()
  readonly #byDigest = new Map<Digest, number>()
  /** How many entries the maps have. The first look-up fills them, to keep the start short. */
  #inMaps = 0

  /** @param archived How many revisions came before the first of these commits, and are elsewhere. */
  constructor(segments: Iterable<IndexSegment> = [], archived = 0) {
    this.archived = archived
    for (const segment of segments) this.#add(segment)
  }

  /** Adds commits that are newer than all others, oldest first. */
  append(entries: readonly IndexEntry[]): void {
    if (entries.length > 0) this.#add(segmentOf(entries))
  }

  /** How many commits there are. */
  get length(): number {
    return this.#keys.length
  }

  /** The commit that the index describes; null for an empty history. */
  tip(): CommitSha | null {
    return this.length === 0 ? null : this.commitAt(this.length - 1)
  }

  /** The newest revision. */
  current(): Revision | null {
    const place = this.#revisions.at(-1)
    return place === undefined ? null : this.#revisionAt(place)
  }

  /** How many revisions there have been: those here and the archived ones. */
  size(): number {
    return this.archived + this.kept()
  }

  /** How many revisions there are here. */
  kept(): number {
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

  /** The number of the revision of that commit, counted from 1 for the oldest that there has been; null when it is none. */
  numberOf(commit: CommitSha): number | null {
    const place = this.placeOf(commit)
    if (place === null || !this.#keys.hasDigestAt(place)) return null
    return this.archived + lastUpTo(this.#revisions, place) + 1
  }

  /** How many commits are older than that one, or null when it is not in the history. */
  placeOf(commit: CommitSha): number | null {
    if (commit === this.tip()) return this.length - 1
    this.#fillMaps()
    return this.#byCommit.get(commit) ?? null
  }

  /** The commit at a place. */
  commitAt(place: number): CommitSha {
    return this.#keys.commitAt(place)
  }

  /** Whether that commit and the older ones are exactly its history. */
  isClosed(commit: CommitSha): boolean {
    const place = this.placeOf(commit)
    return place !== null && this.#keys.isClosedAt(place)
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

  /** The length of the longest closed prefix that ends at or before a place. */
  countClosed(place: number): number {
    let last = place
    while (last >= 0 && !this.#keys.isClosedAt(last)) last -= 1
    return last + 1
  }

  /** An index of the oldest entries alone. */
  upTo(count: number): RevisionIndex {
    const whole = this.#segments.filter((segment, n) => this.#startOf(n) + segment.length <= count)
    const oldest = new RevisionIndex(whole, this.archived)
    oldest.append(this.entries(oldest.length, count))
    return oldest
  }

  #add(segment: IndexSegment): void {
    const start = this.length
    this.#keys.append(segment.keys)
    this.#segments.push(segment)
    this.#starts.push(start)
    for (let place = start; place < this.length; place += 1) {
      if (this.#keys.hasDigestAt(place)) this.#revisions.push(place)
    }
  }

  #fillMaps(): void {
    for (; this.#inMaps < this.length; this.#inMaps += 1) {
      this.#byCommit.set(this.#keys.commitAt(this.#inMaps), this.#inMaps)
      const digest = this.#keys.digestAt(this.#inMaps)
      if (digest !== null) this.#byDigest.set(digest, this.#inMaps)
    }
  }

  #entryAt(place: number): IndexEntry {
    const keys = this.#keys
    const [commit, digest] = [keys.commitAt(place), keys.digestAt(place)]
    return { commit, isClosed: keys.isClosedAt(place), digest, revision: this.#revisionAt(place) }
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
    keys: Buffer.from(entries.map(keyOf).join('')),
    revisionAt: (row) => entries[row]?.revision ?? null,
  }
}

/** The index of the last of some ascending numbers that is not above a limit. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  return bisect({ high: numbers.length }, (place) => (numbers[place] ?? 0) <= limit) - 1
}
