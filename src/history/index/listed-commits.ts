import { CommitSha, type Revision } from '../../core/revision.ts'
import type { CommitRecord } from '../../git/objects/object-reader.ts'
import { believe } from '../revision/classify.ts'
import { IndexLine, ROWS_PER_LINE } from './index-line.ts'
import type { IndexEntry } from './revision-index.ts'

export type CommitLink = Pick<CommitRecord, 'sha' | 'parents'>

/** A commit to be indexed. Its record is dropped once the message is trusted, to save memory. */
export interface ListedCommit extends CommitLink {
  readonly found: Revision | CommitRecord
}

/** Trusted commits, each upon the one before alone. */
export interface ListedRun {
  readonly line: IndexLine
  /** The parent of the oldest; null for a root. */
  readonly base: CommitSha | null
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
      this.#rest.push({ sha, parents, found: believe(commit) ?? commit })
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
  return linksOf(part).flatMap((link, row) => {
    const found = revisions[row] ?? null
    return found === null ? [] : [{ ...link, found }]
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
  return { line: IndexLine.of(entries), base: base && ownCopy(base) }
}

/** A text cut from what git has printed would keep all of that in memory. */
function ownCopy(commit: CommitSha): CommitSha {
  return CommitSha.parse(Buffer.from(commit).toString())
}
