import {
  AUDIT_SHARES,
  type AuditPage,
  type AuditQuery,
  type AuditShare,
  type AuditStore,
  type DroppedEntries,
  isAskedFor,
  type NewAuditEntry,
  noteFullShare,
} from '../../core/audit.ts'
import type { Clock } from '../../lib/clock.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import { LineNumbers } from '../../storage/line-log.ts'
import { EntryLog } from './entry-log.ts'

export interface AuditFilesOptions {
  readonly folder: string
  /** How large the log may become, in bytes. */
  readonly largest: number
  readonly clock: Clock
  readonly log: Log
}

/** The audit log of one server: files of its own for each share, with the same numbering. */
export class AuditFiles implements AuditStore {
  readonly #options: AuditFilesOptions
  readonly #numbers: LineNumbers
  readonly #logs = new Map<AuditShare, EntryLog>()

  private constructor(options: AuditFilesOptions, numbers: LineNumbers) {
    this.#options = options
    this.#numbers = numbers
  }

  static async open(options: AuditFilesOptions): Promise<AuditFiles> {
    const { folder, largest } = options
    const numbers = new LineNumbers()
    const files = new AuditFiles(options, numbers)
    for (const share of ['actions', 'refusals'] as const) {
      const removed = (first: number, last: number) => files.#noteRemoved(share, { first, last })
      const part = { folder, share, largest: largest * AUDIT_SHARES[share], numbers, removed }
      files.#logs.set(share, await EntryLog.open(part))
    }
    return files
  }

  async append(share: AuditShare, entry: NewAuditEntry): Promise<void> {
    await this.#logs.get(share)?.append(entry)
  }

  async read(query: AuditQuery): Promise<AuditPage> {
    const before = query.before ?? this.#numbers.next()
    const found = await Promise.all(
      [...this.#logs.values()].map((log) =>
        log.find(before, query.limit, (entry) => isAskedFor(entry, query)),
      ),
    )
    const from = Math.max(...found.map((each) => each.from ?? 0))
    const entries = found
      .flatMap((each) => each.entries)
      .filter(({ id }) => id >= from)
      .toSorted((one, other) => other.id - one.id)
    const shown = entries.slice(0, query.limit)
    const next = shown.length < entries.length ? (shown.at(-1)?.id ?? from) : from
    return { entries: shown, next: next > 1 ? next : null }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const log of this.#logs.values()) await log[Symbol.asyncDispose]()
  }

  #noteRemoved(share: AuditShare, removed: DroppedEntries) {
    const noted = this.append(share, noteFullShare(share, removed, this.#options))
    inBackground(this.#options.log, 'The audit log could not be shortened', noted)
  }
}
