import { type Action, AuditEntry, type Repetitions } from '../../core/audit.ts'
import type { Clock } from '../../lib/clock.ts'
import { describeFault } from '../../core/faults.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import { LineLog, type LineNumbers } from '../../storage/line-log.ts'

export interface EntryLogOptions {
  readonly folder: string
  /** The name of its files. */
  readonly name: string
  /** The name of its entries in messages. */
  readonly called: string
  /** How large it may become, in bytes. */
  readonly largest: number
  /** Allocates the numbers of entries, which several logs share. */
  readonly numbers: LineNumbers
  readonly clock: Clock
  readonly log: Log
}

/** The result of a search, newest first. */
export interface FoundEntries {
  readonly entries: readonly AuditEntry[]
  /** The lowest number that was searched; null when there are no more. */
  readonly from: number | null
}

/** The number of files of a log; the oldest is dropped to make room. */
const FILES = 16
const LONGEST_TARGET = 500

/** Audit entries in files of bounded size. Entries that cannot be written go to the log of the service. */
export class EntryLog implements AsyncDisposable {
  readonly #options: EntryLogOptions
  readonly #lines: LineLog
  #problem: string | null = null

  private constructor(options: EntryLogOptions, lines: LineLog) {
    this.#options = options
    this.#lines = lines
  }

  static async open(options: EntryLogOptions): Promise<EntryLog> {
    const { folder, name, largest, numbers } = options
    const files = { folder, name, fileSize: Math.ceil(largest / FILES), files: FILES }
    const logs: EntryLog[] = []
    const removed = (first: number, last: number) => {
      const noted = logs.map((log) => log.#noteRemoved(first, last))
      inBackground(options.log, 'The audit log could not be shortened', Promise.all(noted))
    }
    const lines = await LineLog.open({ ...files, numbers, numberOf, removed })
    const log = new EntryLog(options, lines)
    logs.push(log)
    return log
  }

  /** What keeps entries from being written, or null. */
  problem(): string | null {
    return this.#problem
  }

  /** Records an action; returns once the entry is on disk. Never fails. */
  async append(action: Action, repetitions: Repetitions = {}): Promise<void> {
    const facts = {
      time: this.#options.clock(),
      ...action,
      target: action.target.slice(0, LONGEST_TARGET),
      ...repetitions,
    }
    try {
      await this.#lines.append((id) => JSON.stringify({ id, ...facts }))
      this.#problem = null
    } catch (error) {
      this.#problem = `The audit log cannot be written: ${describeFault(error)}`
      this.#options.log({ level: 'error', message: this.#problem, facts: { entry: facts, error } })
    }
  }

  /** The newest matching entries below a number. */
  async find(
    before: number,
    limit: number,
    isAskedFor: (entry: AuditEntry) => boolean,
  ): Promise<FoundEntries> {
    const entries: AuditEntry[] = []
    const from = await this.#lines.readBack(before, (line, id) => {
      const entry = parseEntry(line) ?? { ...DAMAGED, id }
      if (isAskedFor(entry)) entries.push(entry)
      return entries.length < limit
    })
    return { entries, from }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lines[Symbol.asyncDispose]()
  }

  #noteRemoved(first: number, last: number): Promise<void> {
    const target = `${this.#options.called} ${first} to ${last}`
    const message = `The audit log is full: its ${target} are removed`
    this.#options.log({ level: 'warning', message })
    const action = 'shorten-audit-log'
    return this.append({ user: '', action, target, address: '', outcome: 'done' })
  }
}

/** Stands for an unreadable line, so that its loss is visible. */
const DAMAGED = {
  time: 0,
  user: '',
  action: 'damaged-entry',
  target: '',
  address: '',
  outcome: 'failed',
} as const

/** The number at the start of an entry. */
function numberOf(line: string): number | null {
  const [, digits] = /^\{"id":(\d{1,15}),/.exec(line) ?? []
  return digits === undefined ? null : Number(digits)
}

function parseEntry(line: string): AuditEntry | null {
  try {
    return AuditEntry.safeParse(JSON.parse(line)).data ?? null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
