import type { NewAuditEntry } from '../../core/service/audit.ts'
import type { CommitSha } from '../../core/revision.ts'
import type { RefLog } from './ref-log.ts'

/** An entry of the log: the commit that the branch moved to. */
export interface LogEntry {
  /** Counted from 1, without gaps. */
  readonly sequence: number
  readonly commit: CommitSha
}

/** A move of the branch, and the changes that become final with it. */
export interface LogAppend {
  readonly from: CommitSha
  readonly to: CommitSha
  /** The objects that its new commits add, as a pack of git. */
  readonly pack: Uint8Array
  /** Its entry in the audit log; nothing when none of its commits is a revision. */
  readonly audit: readonly NewAuditEntry[]
}

/** A base of the log: the objects of the commit of an entry, as a pack of git. */
export interface LogBase extends LogEntry {
  readonly pack: AsyncIterable<Uint8Array>
}

/** A pack of the log: a part of the base, or the objects of an entry. */
export type LogPack =
  | { readonly kind: 'base'; readonly parts: AsyncIterable<Uint8Array> }
  | { readonly kind: 'entry'; readonly bytes: Uint8Array }

/** The work for a new repository. */
export interface LogWeight {
  readonly head: LogEntry
  readonly baseBytes: number
  /** The number of entries after the base, and the size of their packs in bytes. */
  readonly entries: number
  readonly bytes: number
}

/**
 * The moves of one branch that several repositories follow. A move is final when it is in the log;
 * each repository is a copy that may be behind.
 */
export interface RevisionLog {
  /** The refs beside the branch. */
  readonly refs: RefLog
  /** The newest entry: where the branch is. Null while the log is empty. */
  head(): Promise<LogEntry | null>
  /** The newest entry of one of these commits; null when the log has none of them, or no longer. */
  findNewest(commits: readonly CommitSha[]): Promise<LogEntry | null>
  /**
   * The packs after a sequence number, for a repository that has everything up to it (0 for an
   * empty one), oldest first. Parts of the base are read before the next pack is fetched.
   */
  packsAfter(sequence: number): AsyncIterable<LogPack>
  /**
   * Appends a move, and returns its sequence number. Returns null, without any change, when the
   * branch has left `from`.
   *
   * @throws {ServiceError} `unavailable` when it cannot be appended; where that is not known, the
   * message says so.
   */
  append(move: LogAppend): Promise<number | null>
  /** Null while the log is empty, and where another server keeps it short. */
  weigh(): Promise<LogWeight | null>
  /**
   * Begins an empty log with entry 1, or puts a base in place of the entries up to its own. False,
   * without any change, when the log has begun already, has no such entry or has a newer base.
   *
   * @throws {ServiceError} `unavailable`; then the log is as it was, or as it was to be.
   */
  rebase(base: LogBase): Promise<boolean>
  /** Faults of its entries, a sentence each; its packs are not read. */
  findFaults(): Promise<readonly string[]>
}
