import type { CommitSha } from '../core/revision.ts'
import type { LogAppend, LogEntry, RevisionLog } from '../history/log/revision-log.ts'

/** How many of the newest entries are known by their commits. */
const KNOWN = 1_000

export interface FollowedLogOptions {
  readonly log: RevisionLog
  /** Called after an append, with its sequence number. */
  readonly appended: (sequence: number) => void
}

/** A log that remembers the sequence numbers of the commits that passed through it. */
export class FollowedLog implements RevisionLog {
  readonly #log: RevisionLog
  readonly #appended: (sequence: number) => void
  readonly #sequences = new Map<CommitSha, number>()

  constructor({ log, appended }: FollowedLogOptions) {
    this.#log = log
    this.#appended = appended
  }

  /** The sequence number of a commit, if it is one of the newest that were seen. */
  sequenceOf(commit: CommitSha): number | null {
    return this.#sequences.get(commit) ?? null
  }

  async head(): Promise<LogEntry | null> {
    return this.#note(await this.#log.head())
  }

  async findNewest(commits: readonly CommitSha[]): Promise<LogEntry | null> {
    return this.#note(await this.#log.findNewest(commits))
  }

  packsAfter(sequence: number): AsyncIterable<Uint8Array> {
    return this.#log.packsAfter(sequence)
  }

  async append(move: LogAppend): Promise<boolean> {
    if (!(await this.#log.append(move))) return false
    // The append holds, whether its number can be read or not.
    const entry = await this.findNewest([move.to]).catch(() => null)
    if (entry !== null) this.#appended(entry.sequence)
    return true
  }

  #note(entry: LogEntry | null): LogEntry | null {
    if (entry === null) return null
    this.#sequences.delete(entry.commit)
    this.#sequences.set(entry.commit, entry.sequence)
    const [oldest] = this.#sequences.keys()
    if (this.#sequences.size > KNOWN && oldest !== undefined) this.#sequences.delete(oldest)
    return entry
  }
}
