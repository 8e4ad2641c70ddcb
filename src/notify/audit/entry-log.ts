import {
  type AuditEntry,
  type AuditShare,
  type NewAuditEntry,
  parseAuditEntry,
} from '../../core/audit.ts'
import { LineLog, type LineNumbers } from '../../storage/line-log.ts'

export interface EntryLogOptions {
  readonly folder: string
  readonly share: AuditShare
  /** How large it may become, in bytes. */
  readonly largest: number
  /** Allocates the numbers of entries, which several logs share. */
  readonly numbers: LineNumbers
  /** Called with the numbers of the first and the last entry that were dropped. */
  readonly removed: (first: number, last: number) => void
}

/** The result of a search, newest first. */
export interface FoundEntries {
  readonly entries: readonly AuditEntry[]
  /** The lowest number that was searched; null when there are no more. */
  readonly from: number | null
}

/** The number of files of a log; the oldest is dropped to make room. */
const FILES = 16
const NAMES: Readonly<Record<AuditShare, string>> = { actions: 'audit', refusals: 'refusals' }

/** One share of the audit log, in files of bounded size. */
export class EntryLog implements AsyncDisposable {
  readonly #lines: LineLog

  private constructor(lines: LineLog) {
    this.#lines = lines
  }

  static async open({ share, largest, ...options }: EntryLogOptions): Promise<EntryLog> {
    const files = { name: NAMES[share], fileSize: Math.ceil(largest / FILES), files: FILES }
    return new EntryLog(await LineLog.open({ ...options, ...files, numberOf }))
  }

  /** Every entry of files that nobody has opened, oldest first. */
  static async *readAll(folder: string, share: AuditShare): AsyncGenerator<AuditEntry> {
    for await (const { line, id } of LineLog.readAll({ folder, name: NAMES[share], numberOf }))
      yield parseAuditEntry(id, line)
  }

  /** Returns once the entry is on disk. @throws the system's error when it cannot be written. */
  async append(entry: NewAuditEntry): Promise<void> {
    await this.#lines.append((id) => JSON.stringify({ id, ...entry }))
  }

  /** The newest matching entries below a number. */
  async find(
    before: number,
    limit: number,
    matches: (entry: AuditEntry) => boolean,
  ): Promise<FoundEntries> {
    const entries: AuditEntry[] = []
    const from = await this.#lines.readBack(before, (line, id) => {
      const entry = parseAuditEntry(id, line)
      if (matches(entry)) entries.push(entry)
      return entries.length < limit
    })
    return { entries, from }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lines[Symbol.asyncDispose]()
  }
}

/** The number at the start of an entry. */
function numberOf(line: string): number | null {
  const [, digits] = /^\{"id":(\d{1,15}),/.exec(line) ?? []
  return digits === undefined ? null : Number(digits)
}
