import { LRUCache } from 'lru-cache'
import type { Digest } from '../../core/digest.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { bisect } from '../../lib/bisect.ts'
import { HexPlaces } from '../../lib/compact/hex-places.ts'
import { NumberList } from '../../lib/compact/number-list.ts'
import { LazyList } from '../../lib/lazy-list.ts'
import { EntryKeys, keyOf } from './entry-keys.ts'
import { IndexLine, renderEntries, ROWS_PER_LINE } from './index-line.ts'
import { type AuthorColumns, columnsOf, RevisionColumns } from './revision-columns.ts'

/** One commit of the branch's history, whether or not it is a revision. */
export interface IndexEntry {
  readonly commit: CommitSha
  /** Whether this entry and the older ones are exactly the history of this commit. */
  readonly isClosed: boolean
  /** Null when it is the entry before this one alone; nothing for the first. */
  readonly parents: readonly CommitSha[] | null
  /** Of its document; null when the commit's file is absent or not valid. */
  readonly digest: Digest | null
  /** Null without a digest. */
  readonly revision: Revision | null
}

/** Commits that follow each other, oldest first. */
export type IndexPart = readonly IndexEntry[] | IndexLine

/** Entries that follow each other, oldest first. */
export interface IndexSegment {
  readonly keys: EntryKeys
  /** The remaining fields, parsed lazily. */
  readFacts(): SegmentFacts
  /** The authors and times of the entries that have a revision. */
  readColumns(): AuthorColumns
  /** The revision of one entry, for which the others are not parsed. */
  readRevision(row: number): Revision | null
}

export interface SegmentFacts {
  /** The revision of each entry, null for those without one. */
  readonly revisions: readonly (Revision | null)[]
  /** By row, where the parents are not the entry before alone. */
  readonly parents: ReadonlyMap<number, readonly CommitSha[]>
}

/** An entry as the segment and the place there. */
interface Row {
  readonly segment: IndexSegment
  readonly row: number
}

/** The most revisions that stay as they were parsed with their neighbours. */
const MAX_PARSED = 25_000
/** So many of a segment are parsed alone. Whoever asks for more mostly goes through all of it. */
const MAX_SINGLE_LOOKUPS = 16
/** The most segments of which some stay as they were parsed alone. */
const MAX_SEGMENTS = 500

/** As many entries are looked through for a commit before all of them are numbered by their commits. */
const NEAR_END = 200

/** The numbers of revisions that follow each other, both included. */
export interface NumberSpan {
  readonly first: number
  readonly last: number
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
  readonly #segments: IndexSegment[] = []
  /** The authors and times of the revisions. */
  readonly columns = new RevisionColumns(this.#segments)
  /** The place of the first entry of each segment. */
  readonly #starts: number[] = []
  /** The places of the entries that have a revision. */
  readonly #revisions = new NumberList()
  readonly #byCommit = new HexPlaces({
    nameAt: (place) => this.commitAt(place),
    firstAt: (place) => this.#at(place, (keys, row) => keys.firstOfCommitAt(row)),
  })
  readonly #byDigest = new HexPlaces({
    nameAt: (place) => this.#digestAt(place),
    firstAt: (place) => this.#at(place, (keys, row) => keys.firstOfDigestAt(row)),
  })
  #length = 0
  /** The segment that was looked at last, which the next place mostly is in. */
  #last = 0
  readonly #parsed = new LRUCache<IndexSegment, SegmentFacts>({
    maxSize: MAX_PARSED,
    sizeCalculation: ({ revisions }) => revisions.length,
  })
  /** By their row. */
  readonly #alone = new LRUCache<IndexSegment, Map<number, Revision | null>>({
    maxSize: MAX_SEGMENTS,
    sizeCalculation: () => 1,
  })

  /** @param archived How many revisions came before the first of these commits, and are elsewhere. */
  constructor(segments: Iterable<IndexSegment> = [], archived = 0) {
    this.archived = archived
    for (const segment of segments) this.#add(segment)
  }

  /**
   * Adds commits that are newer than all others, oldest first. Of many of them, only the bytes of lines
   * are kept: a million revisions as objects take gigabytes.
   */
  append(part: IndexPart): void {
    if (part instanceof IndexLine) this.#add(part)
    else this.#appendEntries(part)
  }

  #appendEntries(entries: readonly IndexEntry[]): void {
    const whole = entries.length - (entries.length % ROWS_PER_LINE)
    for (let at = 0; at < whole; at += ROWS_PER_LINE)
      this.#add(IndexLine.of(entries.slice(at, at + ROWS_PER_LINE)))
    if (whole < entries.length) this.#add(segmentOf(entries.slice(whole)))
  }

  /** How many commits there are. */
  get length(): number {
    return this.#length
  }

  /** The commit that the index describes; null for an empty history. */
  tip(): CommitSha | null {
    return this.length === 0 ? null : this.commitAt(this.length - 1)
  }

  /** The newest revision. */
  current(): Revision | null {
    return this.at(0)
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
    this.#byDigest.grow(this.length)
    const place = this.#byDigest.find(digest)
    return place === null ? null : this.#oneAt(place)
  }

  findCommit(commit: CommitSha): Revision | null {
    const place = this.placeOf(commit)
    return place === null ? null : this.#oneAt(place)
  }

  /** The revision that so many newer ones follow; null when there are not so many. */
  at(newer: number): Revision | null {
    const place = this.#revisions.at(this.kept() - 1 - newer)
    return place === undefined ? null : this.#oneAt(place)
  }

  /** The number of the revision of that commit, counted from 1 for the oldest that there has been; null when it is none. */
  numberOf(commit: CommitSha): number | null {
    const place = this.placeOf(commit)
    if (place === null || this.#digestAt(place) === null) return null
    return this.archived + lastUpTo(this.#revisions, place) + 1
  }

  /** How many commits are older than that one, or null when it is not in the history. */
  placeOf(commit: CommitSha): number | null {
    if (commit === this.tip()) return this.length - 1
    const near = this.#byCommit.isEmpty ? this.#findNearEnds(commit) : null
    if (near !== null) return near
    this.#byCommit.grow(this.length)
    return this.#byCommit.find(commit)
  }

  /** Looks through the bytes of the newest entries, and of the oldest: a page of the newest asks for no others. */
  #findNearEnds(commit: CommitSha): number | null {
    let [n, left] = [this.#segments.length - 1, NEAR_END]
    for (; n >= 0 && left > 0; n -= 1) {
      const place = this.#placeIn(n, commit)
      if (place !== null) return place
      left -= this.#segments[n]?.keys.length ?? 0
    }
    return n < 0 ? null : this.#placeIn(0, commit)
  }

  #placeIn(n: number, commit: CommitSha): number | null {
    const row = this.#segments[n]?.keys.rowOf(commit) ?? null
    return row === null ? null : this.#startOf(n) + row
  }

  commitAt(place: number): CommitSha {
    return this.#at(place, (keys, row) => keys.commitAt(row))
  }

  /** Whether that commit and the older ones are exactly its history. */
  isClosed(commit: CommitSha): boolean {
    const place = this.placeOf(commit)
    return place !== null && this.#isClosedAt(place)
  }

  list({ offset, limit }: RevisionRange): readonly Revision[] {
    return this.#placesOf({ offset, limit }).flatMap((place) => this.#revisionAt(place) ?? [])
  }

  /** The revisions from a place up to the present end, oldest first, each read when it is asked for. */
  revisionsFrom(start: number): LazyList<Revision> {
    const first = lastUpTo(this.#revisions, start - 1) + 1
    return new LazyList(this.kept() - first, (n) => {
      const place = this.#revisions.at(first + n)
      return place === undefined ? undefined : (this.#revisionAt(place) ?? undefined)
    })
  }

  /** The bases of a revision, by its commit; null when it is none of this history. */
  basesOf(commit: CommitSha): readonly CommitSha[] | null {
    const place = this.placeOf(commit)
    return place === null || this.#digestAt(place) === null ? null : this.#basesAt(place)
  }

  /** The commits from a place on, oldest first. */
  entries(start = 0, end = this.length): readonly IndexEntry[] {
    return Array.from({ length: end - start }, (_, row) => this.#entryAt(start + row))
  }

  /**
   * The commits from a place up to the present end as lines for {@link IndexLine}, each made when it is
   * asked for.
   */
  lines(start = 0): Iterable<string> {
    return this.#lines(start, this.length)
  }

  /** The length of the longest closed prefix that ends at or before a place. */
  countClosed(place: number): number {
    let last = place
    while (last >= 0 && !this.#isClosedAt(last)) last -= 1
    return last + 1
  }

  /** An index of the oldest entries alone. */
  upTo(count: number): RevisionIndex {
    const whole = this.#segments.filter(({ keys }, n) => this.#startOf(n) + keys.length <= count)
    const oldest = new RevisionIndex(whole, this.archived)
    oldest.append(this.entries(oldest.length, count))
    return oldest
  }

  *#lines(start: number, end: number): Generator<string, void> {
    let at = start
    while (at < end) {
      const { segment, row } = this.#rowOf(at)
      const isLine = segment instanceof IndexLine && segment.keys.length === ROWS_PER_LINE
      const next = Math.min(at + ROWS_PER_LINE, end)
      const isWhole = isLine && row === 0 && next - at === ROWS_PER_LINE
      yield isWhole ? segment.toString() : renderEntries(this.entries(at, next))
      at = next
    }
  }

  #placesOf({ offset, limit }: RevisionRange): readonly number[] {
    const end = Math.max(0, this.#revisions.length - offset)
    return this.#revisions.slice(Math.max(0, end - limit), end).toReversed()
  }

  #add(segment: IndexSegment): void {
    const { keys } = segment
    for (let row = 0; row < keys.length; row += 1) {
      if (keys.hasDigestAt(row)) this.#revisions.push(this.#length + row)
    }
    this.#segments.push(segment)
    this.#starts.push(this.#length)
    this.#length += keys.length
  }

  #entryAt(place: number): IndexEntry {
    const { segment, row } = this.#rowOf(place)
    const { keys } = segment
    const [commit, digest] = [keys.commitAt(row), keys.digestAt(row)]
    const [isClosed, parents] = [keys.isClosedAt(row), this.#parentsIn({ segment, row })]
    return { commit, isClosed, parents, digest, revision: this.#revisionAt(place) }
  }

  #basesAt(place: number): readonly CommitSha[] {
    const bases = this.#parentPlaces(place).flatMap((parent) => this.#revisionFrom(parent) ?? [])
    return bases.length > 1 ? [...new Set(bases)] : bases
  }

  /** The first revision on the way from an entry along first parents. */
  #revisionFrom(start: number): CommitSha | null {
    let place: number | undefined = start
    while (place !== undefined && this.#digestAt(place) === null)
      [place] = this.#parentPlaces(place)
    return place === undefined ? null : this.commitAt(place)
  }

  /** The places of the parents that are here. */
  #parentPlaces(place: number): readonly number[] {
    const parents = this.#parentsIn(this.#rowOf(place))
    if (parents === null) return place === 0 ? [] : [place - 1]
    return parents.flatMap((parent) => this.placeOf(parent) ?? [])
  }

  #parentsIn({ segment, row }: Row): readonly CommitSha[] | null {
    if (!segment.keys.isBranchedAt(row)) return null
    return this.#factsOf(segment).parents.get(row) ?? null
  }

  #digestAt(place: number): Digest | null {
    return this.#at(place, (keys, row) => keys.digestAt(row))
  }

  #isClosedAt(place: number): boolean {
    return this.#at(place, (keys, row) => keys.isClosedAt(row))
  }

  #revisionAt(place: number): Revision | null {
    const { segment, row } = this.#rowOf(place)
    return this.#factsOf(segment).revisions[row] ?? null
  }

  /** The same for one that nobody asked for with its neighbours. */
  #oneAt(place: number): Revision | null {
    const { segment, row } = this.#rowOf(place)
    if (this.#parsed.has(segment)) return this.#revisionAt(place)
    const alone = this.#alone.get(segment) ?? new Map<number, Revision | null>()
    const known = alone.get(row)
    if (known !== undefined) return known
    if (alone.size === MAX_SINGLE_LOOKUPS) {
      this.#alone.delete(segment)
      return this.#revisionAt(place)
    }
    const revision = segment.readRevision(row)
    this.#alone.set(segment, alone.set(row, revision))
    return revision
  }

  #factsOf(segment: IndexSegment): SegmentFacts {
    const parsed = this.#parsed.get(segment) ?? segment.readFacts()
    this.#parsed.set(segment, parsed)
    return parsed
  }

  #at<Value>(place: number, read: (keys: EntryKeys, row: number) => Value): Value {
    const { segment, row } = this.#rowOf(place)
    return read(segment.keys, row)
  }

  /** @throws {RangeError} for a place that no entry has. */
  #rowOf(place: number): Row {
    const isLast = this.#startOf(this.#last) <= place && place < this.#endOf(this.#last)
    const n = isLast ? this.#last : lastUpTo(this.#starts, place)
    const segment = this.#segments[n]
    if (segment === undefined) throw new RangeError(`There is no entry ${place}`)
    this.#last = n
    return { segment, row: place - this.#startOf(n) }
  }

  #endOf(n: number): number {
    return this.#starts[n + 1] ?? this.#length
  }

  #startOf(n: number): number {
    return this.#starts[n] ?? 0
  }
}

function segmentOf(entries: readonly IndexEntry[]): IndexSegment {
  const revisions = entries.map(({ revision }) => revision)
  const branched = entries.flatMap(({ parents }, row) => (parents ? [[row, parents] as const] : []))
  const facts = { revisions, parents: new Map(branched) }
  return {
    keys: new EntryKeys(ownBytes(entries.map(keyOf).join(''))),
    readFacts: () => facts,
    readColumns: () => columnsOf(revisions),
    readRevision: (row) => revisions[row] ?? null,
  }
}

/** Bytes in a buffer of their own: a short one would keep the 8 KB alive that it shares with others. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(text.length)
  bytes.write(text, 'latin1')
  return bytes
}

type NumbersByPlace = Pick<NumberList, 'length' | 'at'>

/** The index of the last of some ascending numbers that is not above a limit. */
function lastUpTo(numbers: NumbersByPlace, limit: number): number {
  return bisect({ high: numbers.length }, (place) => (numbers.at(place) ?? 0) <= limit) - 1
}
