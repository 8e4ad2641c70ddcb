import type { CommitSha } from '../../core/revision.ts'

/** An entry of the log: the commit that the branch moved to. */
export interface LogEntry {
  /** Counted from 1, without gaps. */
  readonly sequence: number
  readonly commit: CommitSha
}

/** A move of the branch, with the objects that its new commits add, as a pack of git. */
export interface LogAppend {
  /** Null begins the log. */
  readonly from: CommitSha | null
  readonly to: CommitSha
  readonly pack: Uint8Array
}

/**
 * The moves of one branch that several repositories follow. A move is final when it is in the log;
 * each repository is a copy that may be behind.
 */
export interface RevisionLog {
  /** The newest entry: where the branch is. Null while the log is empty. */
  head(): Promise<LogEntry | null>
  /** The newest entry of one of these commits; null when the log has none of them. */
  findNewest(commits: readonly CommitSha[]): Promise<LogEntry | null>
  /** The packs of the entries after a sequence number, oldest first. */
  packsAfter(sequence: number): AsyncIterable<Uint8Array>
  /**
   * Appends a move. False, without any change, when the branch has left `from`.
   *
   * @throws {ServiceError} `unavailable` when it cannot be appended; where that is not known, the
   * message says so.
   */
  append(move: LogAppend): Promise<boolean>
}
