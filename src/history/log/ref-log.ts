import type { CommitSha } from '../../core/revision.ts'

/** A move of refs beside the branch, all at once. */
export interface RefLogEntry {
  /** Counted from 1, without gaps. */
  readonly sequence: number
  readonly refs: readonly LoggedRef[]
}

/** A ref, and the commit that it goes to. */
export interface LoggedRef {
  readonly ref: string
  readonly commit: CommitSha
}

/**
 * The moves of the refs beside the branch, which several repositories follow. An entry is appended by a
 * server that has followed all entries before it, so that of two appends at once one fails.
 */
export interface RefLog {
  /** The entries after a sequence number, oldest first. */
  entriesAfter(sequence: number): Promise<readonly RefLogEntry[]>
  /** The objects that an entry adds, as a pack of git. */
  readPack(sequence: number): Promise<Uint8Array>
  /**
   * False, without any change, where another entry has that sequence number.
   *
   * @throws {ServiceError} `unavailable` when it cannot be appended; where that is not known, the
   * message says so.
   */
  append(entry: RefLogEntry, pack: Uint8Array): Promise<boolean>
}
