import { LRUCache } from 'lru-cache'
import type { CommitSha } from '../core/revision.ts'
import type { LogAppend, LogBase, LogEntry, LogWeight } from '../history/log/revision-log.ts'
import type { Fence } from '../state/postgres-driver.ts'
import type { Driver } from '../state/sql.ts'
import { PostgresLog } from './postgres-log.ts'

/** The number of newest entries whose commits are cached. */
const KNOWN = 1_000

export interface FollowedLogOptions {
  readonly driver: Driver
  readonly fence: Fence
  /** Called after an append, with its sequence number. */
  readonly appended: (sequence: number) => void
  /** Whether this server is the one that keeps the log short. */
  readonly mayRebase: () => boolean
}

/** The log of a server, which remembers the sequence numbers of the commits that passed through it. */
export class FollowedLog extends PostgresLog {
  readonly #appended: (sequence: number) => void
  readonly #mayRebase: () => boolean
  readonly #sequences = new LRUCache<CommitSha, number>({ max: KNOWN })

  constructor({ driver, fence, appended, mayRebase }: FollowedLogOptions) {
    super(driver, fence)
    this.#appended = appended
    this.#mayRebase = mayRebase
  }

  /** The sequence number of a commit, if it is one of the newest that were seen. */
  sequenceOf(commit: CommitSha): number | null {
    return this.#sequences.get(commit) ?? null
  }

  override async head(): Promise<LogEntry | null> {
    return this.#note(await super.head())
  }

  override async findNewest(commits: readonly CommitSha[]): Promise<LogEntry | null> {
    return this.#note(await super.findNewest(commits))
  }

  override async append(move: LogAppend): Promise<number | null> {
    const sequence = await super.append(move)
    if (sequence !== null) this.#noteAppended({ sequence, commit: move.to })
    return sequence
  }

  override weigh(): Promise<LogWeight | null> {
    return this.#mayRebase() ? super.weigh() : Promise.resolve(null)
  }

  override async rebase(base: LogBase): Promise<boolean> {
    const { sequence, commit } = base
    if (!(await super.rebase(base))) return false
    this.#noteAppended({ sequence, commit })
    return true
  }

  #noteAppended(entry: LogEntry): void {
    this.#note(entry)
    this.#appended(entry.sequence)
  }

  #note(entry: LogEntry | null): LogEntry | null {
    if (entry !== null) this.#sequences.set(entry.commit, entry.sequence)
    return entry
  }
}
