import type { Digest } from '../../core/digest.ts'
import { CommitSha, type Revision } from '../../core/revision.ts'
import type { CommitRecord } from '../../git/objects/object-reader.ts'
import { believe, recordedByOriginal } from '../revision/classify.ts'
import { IndexLine, ROWS_PER_LINE } from './index-line.ts'
import type { IndexEntry, RevisionIndex } from './revision-index.ts'

/** A number has 53 bits. */
const DIGITS_IN_NUMBER = 13

export type CommitLink = Pick<CommitRecord, 'sha' | 'parents'>

/** A commit to be indexed. Its record is dropped once the message is trusted, to save memory. */
export interface ListedCommit extends CommitLink {
  readonly found: Revision | CommitRecord
  /** Whether the original recorded the revision, whose digest may be that of an earlier document. */
  readonly isByOriginal: boolean
}

/** Trusted commits, each upon the one before alone. */
export interface ListedRun {
  readonly line: IndexLine
  /** The parent of the oldest; null for a root. */
  readonly base: CommitSha | null
  /** The rows that the original recorded, in ascending order. */
  readonly byOriginal: readonly number[]
}

/** Commits oldest first. */
export type ListedPart = ListedRun | readonly ListedCommit[]

/**
 * The commits that git lists, newest first. Long runs of trusted ones become lines of the index at once:
 * until the oldest is known, a million objects would take gigabytes, and a quarter of the time to collect.
 */
export class ListedCommits {
  readonly #parts: ListedPart[] = []
  /** The oldest so far, newest first. */
  #rest: ListedCommit[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Adds commits that come after those so far in the list of git. */
  add(commits: readonly CommitRecord[]): void {
    for (const commit of commits) {
      const { sha, parents } = commit
      const own = believe(commit)
      const original = own === null ? recordedByOriginal(commit) : null
      const isByOriginal = original !== null
      this.#rest.push({ sha, parents, found: own ?? original ?? commit, isByOriginal })
      if (this.#rest.length === ROWS_PER_LINE) this.#closePart()
    }
    this.#length += commits.length
  }

  /** The listed commits, the oldest part first. */
  parts(): readonly ListedPart[] {
    return [this.#rest.toReversed(), ...this.#parts.toReversed()]
  }

  #closePart(): void {
    const commits = this.#rest.toReversed()
    this.#rest = []
    this.#parts.push(runOf(commits) ?? commits)
  }
}

export function isRun(part: ListedPart): part is ListedRun {
  return 'line' in part
}

/** The links of a part, oldest first. */
export function linksOf(part: ListedPart): readonly CommitLink[] {
  if (!isRun(part)) return part
  const { keys } = part.line
  let before = part.base
  return Array.from({ length: keys.length }, (_, row) => {
    const [sha, parents] = [keys.commitAt(row), before === null ? [] : [before]]
    before = sha
    return { sha, parents }
  })
}

/** The commits of a part, oldest first. */
export function commitsOf(part: ListedPart): readonly ListedCommit[] {
  if (!isRun(part)) return part
  const { revisions } = part.line.readFacts()
  const originals = new Set(part.byOriginal)
  return linksOf(part).flatMap((link, row) => {
    const found = revisions[row] ?? null
    return found === null ? [] : [{ ...link, found, isByOriginal: originals.has(row) }]
  })
}

/**
 * Finds commits of the original whose digest it recorded before, as it did for an earlier document in a
 * burst of edits, and the newest commit, whose document is the live file. Their documents are to be read.
 */
export class DoubtfulDigests {
  readonly #index: RevisionIndex
  readonly #newest: CommitSha
  /** The first bits of the digests so far: a million texts would take a hundred megabytes. */
  readonly #recorded = new Set<number>()

  constructor({ index, newest }: { index: RevisionIndex; newest: CommitSha }) {
    this.#index = index
    this.#newest = newest
  }

  /** The doubtful commits of a part, which follows those before. */
  in(part: ListedPart): ReadonlySet<CommitSha> {
    const doubtful = new Set<CommitSha>()
    for (const { sha, digest } of originalsOf(part)) {
      const bits = Number.parseInt(digest.slice(0, DIGITS_IN_NUMBER), 16)
      const isRepeated = this.#recorded.has(bits) || this.#index.find(digest) !== null
      if (isRepeated || sha === this.#newest) doubtful.add(sha)
      this.#recorded.add(bits)
    }
    return doubtful
  }
}

function originalsOf(part: ListedPart): readonly { sha: CommitSha; digest: Digest }[] {
  if (!isRun(part)) {
    return part.flatMap(({ sha, found, isByOriginal }) =>
      isByOriginal && 'digest' in found ? [{ sha, digest: found.digest }] : [],
    )
  }
  const { keys } = part.line
  return part.byOriginal.flatMap((row) => {
    const digest = keys.digestAt(row)
    return digest === null ? [] : [{ sha: keys.commitAt(row), digest }]
  })
}

/** Null where a commit is not trusted, or did not come upon the one before alone. */
function runOf(commits: readonly ListedCommit[]): ListedRun | null {
  const [base = null] = commits[0]?.parents ?? []
  const entries: IndexEntry[] = []
  let before = base
  for (const { sha: commit, parents, found } of commits) {
    if (!('digest' in found) || parents.length > 1 || (parents[0] ?? null) !== before) return null
    entries.push({ commit, isClosed: true, parents: null, digest: found.digest, revision: found })
    before = commit
  }
  const byOriginal = [...commits.keys()].filter((row) => commits[row]?.isByOriginal)
  return { line: IndexLine.of(entries), base: base && ownCopy(base), byOriginal }
}

/** A text cut from what git has printed would keep all of that in memory. */
function ownCopy(commit: CommitSha): CommitSha {
  return CommitSha.parse(Buffer.from(commit).toString())
}
