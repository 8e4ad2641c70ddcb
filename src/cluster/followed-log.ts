import type { CommitSha } from '../core/revision.ts'
import type {
  LogAppend,
  LogBase,
  LogEntry,
  LogPack,
  LogWeight,
  RevisionLog,
} from '../history/log/revision-log.ts'
import type { RefLog } from '../history/log/ref-log.ts'

/** The number of newest entries whose commits are cached. */
const KNOWN = 1_000

export interface FollowedLogOptions {
  readonly log: RevisionLog
  /** Called after an append, with its sequence number. */
  readonly appended: (sequence: number) => void
  /** Whether this server is the one that keeps the log short. */
  readonly mayRebase: () => boolean
}

/** A log that remembers the sequence numbers of the commits that passed through it. */
export class FollowedLog implements RevisionLog {
  readonly #log: RevisionLog
  readonly #appended: (sequence: number) => void
  readonly #mayRebase: () => boolean
  readonly #sequences = new Map<CommitSha, number>()

  constructor({ log, appended, mayRebase }: FollowedLogOptions) {
    this.#log = log
    this.#appended = appended
    this.#mayRebase = mayRebase
  }

  get refs(): RefLog {
    return this.#log.refs
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

  packsAfter(sequence: number): AsyncIterable<LogPack> {
    return this.#log.packsAfter(sequence)
  }

  async append(move: LogAppend): Promise<number | null> {
    const sequence = await this.#log.append(move)
    if (sequence !== null) this.#noteAppended({ sequence, commit: move.to })
    return sequence
  }

  weigh(): Promise<LogWeight | null> {
    return this.#mayRebase() ? this.#log.weigh() : Promise.resolve(null)
  }

  async rebase(base: LogBase): Promise<boolean> {
    const { sequence, commit } = base
    if (!(await this.#log.rebase(base))) return false
    this.#noteAppended({ sequence, commit })
    return true
  }

  findFaults(): Promise<readonly string[]> {
    return this.#log.findFaults()
  }

  #noteAppended(entry: LogEntry): void {
    this.#note(entry)
    this.#appended(entry.sequence)
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
