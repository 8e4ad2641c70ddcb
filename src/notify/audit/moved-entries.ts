import { unavailable } from '../../core/errors.ts'
import type { AuditEntry, AuditShare, MovedEntry } from '../../core/audit.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { AuditFiles } from './audit-files.ts'
import { EntryLog } from './entry-log.ts'

/** How many entries are synced together. */
const MANY = 1_000

/** The audit log in a folder that no server has opened, oldest entry first. */
export async function* readAuditFiles(folder: string): AsyncGenerator<MovedEntry> {
  const shares = ['actions', 'refusals'] as const
  const sources = await Promise.all(shares.map((share) => Source.open(folder, share)))
  for (;;) {
    const [first, ...others] = sources.filter(({ next }) => next !== null)
    if (first === undefined) return
    const oldest = others.reduce((one, other) => (other.id < one.id ? other : one), first)
    const { id: _, ...entry } = oldest.next ?? { id: 0 }
    if ('time' in entry) yield { share: oldest.share, entry }
    await oldest.advance()
  }
}

/** The entries of one share, and the next of them. */
class Source {
  readonly share: AuditShare
  next: AuditEntry | null = null
  readonly #entries: AsyncGenerator<AuditEntry>

  private constructor(folder: string, share: AuditShare) {
    this.share = share
    this.#entries = EntryLog.readAll(folder, share)
  }

  static async open(folder: string, share: AuditShare): Promise<Source> {
    const source = new Source(folder, share)
    await source.advance()
    return source
  }

  get id(): number {
    return this.next?.id ?? 0
  }

  async advance(): Promise<void> {
    const { done, value } = await this.#entries.next()
    this.next = done === true ? null : value
  }
}

/** @throws {ServiceError} `unavailable` where a folder has an audit log already. */
export async function assertNoAuditFiles(folder: string): Promise<void> {
  for await (const _ of readAuditFiles(folder))
    throw unavailable(`${folder} has an audit log already: move its files away`)
}

/** Makes the audit log of a folder that has none. */
export async function writeAuditFiles(
  options: { readonly folder: string; readonly largest: number } & {
    readonly clock: Clock
    readonly log: Log
  },
  entries: AsyncIterable<MovedEntry>,
): Promise<void> {
  await using files = await AuditFiles.open(options)
  let pending: Promise<void>[] = []
  for await (const { share, entry } of entries) {
    pending.push(files.append(share, entry))
    if (pending.length < MANY) continue
    await Promise.all(pending)
    pending = []
  }
  await Promise.all(pending)
}
