import type { CommitSha } from '../../core/revision.ts'
import type { RawObjectReader } from './raw-object.ts'
import type { Signature } from '../signature.ts'

export interface CommitRecord {
  readonly sha: CommitSha
  readonly parents: readonly CommitSha[]
  readonly author: string
  /** Author time in milliseconds; git keeps whole seconds. */
  readonly time: number
  /** Differs from the author after an amend, a rebase or a cherry-pick. */
  readonly committer: Signature
  readonly message: string
}

export interface CommitRange {
  readonly from: CommitSha
  /** Excludes this commit and its ancestors; null excludes nothing. */
  readonly until: CommitSha | null
}

/**
 * Reads commits and documents of one repository. Two implementations honour the
 * same conformance suite: isomorphic-git, which always works, and a long-lived
 * `git cat-file --batch`, which is many times faster on packed history.
 */
export interface ObjectReader extends RawObjectReader, AsyncDisposable {
  /** The bytes of the file at that commit; null when it has no such file, or one too large to be read, or is not there. */
  findFile(commit: CommitSha, path: string): Promise<Uint8Array<ArrayBuffer> | null>
  /** The commit, or null when the repository has none of that name. */
  findCommit(commit: CommitSha): Promise<CommitRecord | null>
  /**
   * Every commit reachable from `from` and not from `until`, in the order of `git log --date-order`:
   * children before parents, then by commit time, latest first. They come in batches, none of
   * them empty: a turn for each of a million would take longer than git.
   *
   * @throws {ServiceError} `revision-not-found` when the repository lacks an end of the range.
   */
  listCommits(range: CommitRange): AsyncIterable<readonly CommitRecord[]>
  /** Closes files that git has replaced, which would use disk space as long as they are open. */
  renew(): void
  /** Shortens, from now on, the wait for a git that does not answer: this process is about to end. */
  hurry(): void
}
