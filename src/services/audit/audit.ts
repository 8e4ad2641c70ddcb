import { type Action, AuditEntry } from '../../core/audit.ts'
import type { Clock } from '../../core/clock.ts'
import { describeFault } from '../../core/faults.ts'
import type { Log } from '../../core/log.ts'
import { LineLog } from '../../storage/line-log.ts'
import { RepeatedActions } from './repeated-actions.ts'

export interface AuditOptions {
  readonly folder: string
  /** How large the log may become, in bytes. */
  readonly largest: number
  readonly clock: Clock
  readonly log: Log
}

/** Which entries are asked for. Null: all. */
export interface AuditQuery {
  /** Only those with a smaller number; null for the newest. */
  readonly before: number | null
  readonly limit: number
  readonly user: string | null
  readonly action: string | null
  readonly outcome: string | null
  readonly address: string | null
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  /** The number to go on before; null when there are no more. */
  readonly next: number | null
}

/** The log is kept in so many files, of which the oldest makes room. */
const FILES = 16

/**
 * Notes every action: who, what, from where, and how it ended. An entry is on disk before the
 * action is answered. While it cannot be written, it goes to the log of the service instead, and
 * the health says so: what is done already is not undone by that.
 */
export class Audit implements AsyncDisposable {
  readonly #options: AuditOptions
  readonly #lines: LineLog
  readonly #repeated: RepeatedActions
  #problem: string | null = null

  private constructor(options: AuditOptions, lines: LineLog) {
    this.#options = options
    this.#lines = lines
    this.#repeated = new RepeatedActions((action, times) => this.#append(action, times))
  }

  static async open(options: AuditOptions): Promise<Audit> {
    const { folder, largest } = options
    const files = { folder, name: 'audit', fileSize: Math.ceil(largest / FILES), files: FILES }
    const audits: Audit[] = []
    const removed = (first: number, last: number) => {
      for (const audit of audits) void audit.#tellRemoved(first, last)
    }
    const audit = new Audit(options, await LineLog.open({ ...files, removed }))
    audits.push(audit)
    return audit
  }

  /** Notes an action; returns once the entry is on disk. It never fails. */
  note(action: Action): Promise<void> {
    return this.#append(action, 1)
  }

  /** The same for what anybody can bring about: repetitions within a minute become one entry. */
  noteOften(action: Action): Promise<void> {
    return this.#repeated.note(action)
  }

  /** What keeps entries from being written, or null. */
  problem(): string | null {
    return this.#problem
  }

  /** Entries, newest first. A page may be short of its limit where much had to be passed over. */
  async read(query: AuditQuery): Promise<AuditPage> {
    const entries: AuditEntry[] = []
    const next = await this.#lines.readBack(query.before ?? this.#lines.next(), (line, id) => {
      const entry = parseEntry(line) ?? { ...DAMAGED, id }
      if (isAskedFor(entry, query)) entries.push(entry)
      return entries.length < query.limit
    })
    return { entries, next: next !== null && next > 1 ? next : null }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#repeated[Symbol.asyncDispose]()
    await this.#lines[Symbol.asyncDispose]()
  }

  async #append(action: Action, times: number): Promise<void> {
    const facts = {
      time: this.#options.clock(),
      ...action,
      target: action.target.slice(0, 500),
      ...(times > 1 ? { times } : {}),
    }
    try {
      await this.#lines.append((id) => JSON.stringify({ id, ...facts }))
      this.#problem = null
    } catch (error) {
      this.#problem = `The audit log cannot be written: ${describeFault(error)}`
      this.#options.log({ level: 'error', message: this.#problem, facts: { entry: facts, error } })
    }
  }

  #tellRemoved(first: number, last: number): Promise<void> {
    const message = `The audit log is full: its entries ${first} to ${last} are removed`
    this.#options.log({ level: 'warning', message })
    return this.#append(
      {
        user: '',
        action: 'shorten-audit-log',
        target: `entries ${first} to ${last}`,
        address: '',
        outcome: 'done',
      },
      1,
    )
  }
}

/** Stands for a line that can no longer be read, so that nobody takes it for one that never was. */
const DAMAGED = {
  time: 0,
  user: '',
  action: 'damaged-entry',
  target: '',
  address: '',
  outcome: 'failed',
} as const

function parseEntry(line: string): AuditEntry | null {
  try {
    return AuditEntry.safeParse(JSON.parse(line)).data ?? null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function isAskedFor(entry: AuditEntry, { user, action, outcome, address }: AuditQuery): boolean {
  return (
    (user === null || entry.user === user) &&
    (action === null || entry.action === action) &&
    (outcome === null || entry.outcome === outcome) &&
    (address === null || entry.address === address)
  )
}
