import type { Action, AuditEntry } from '../../core/audit.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { LineNumbers } from '../../storage/line-log.ts'
import { EntryLog } from './entry-log.ts'
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

/** How much of the log is for refusals, and for what anybody can bring about. */
const SHARE_OF_REFUSALS = 1 / 4
/** Refusals of a user for one reason that are noted one by one within a minute. */
const NOTED_AT_ONCE = 10

/**
 * Notes every action: who, what, from where, and how it ended. An entry is on disk before the
 * action is answered. While it cannot be written, it goes to the log of the service instead, and
 * the health says so: what is done already is not undone by that.
 *
 * What was refused, and what needs no login, is in files of its own with the same numbering, so that
 * no flood of it takes the room of what users did. Repetitions of it become one entry.
 */
export class Audit implements AsyncDisposable {
  readonly #numbers: LineNumbers
  readonly #actions: EntryLog
  readonly #refusals: EntryLog
  readonly #repeated: RepeatedActions

  private constructor(
    { clock, log }: AuditOptions,
    logs: { numbers: LineNumbers; actions: EntryLog; refusals: EntryLog },
  ) {
    this.#numbers = logs.numbers
    this.#actions = logs.actions
    this.#refusals = logs.refusals
    this.#repeated = new RepeatedActions({
      clock,
      log,
      write: (action, repetitions) => this.#refusals.append(action, repetitions),
    })
  }

  static async open(options: AuditOptions): Promise<Audit> {
    const { largest, ...common } = options
    const numbers = new LineNumbers()
    const share = largest * SHARE_OF_REFUSALS
    const [actions, refusals] = [
      { ...common, numbers, name: 'audit', called: 'entries', largest: largest - share },
      { ...common, numbers, name: 'refusals', called: 'refusals', largest: share },
    ]
    return new Audit(options, {
      numbers,
      actions: await EntryLog.open(actions),
      refusals: await EntryLog.open(refusals),
    })
  }

  /** Notes an action; returns once the entry is on disk. It never fails. Many refusals become one entry. */
  note(action: Action): Promise<void> {
    if (action.outcome === 'refused') return this.#repeated.note(action, NOTED_AT_ONCE)
    return this.#actions.append(action)
  }

  /** The same for what anybody can bring about: repetitions within a minute become one entry. */
  noteOften(action: Action): Promise<void> {
    return this.#repeated.note(action, 1)
  }

  /** What keeps entries from being written, or null. */
  problem(): string | null {
    return this.#actions.problem() ?? this.#refusals.problem()
  }

  /** Entries, newest first. A page may be short of its limit where much had to be passed over. */
  async read(query: AuditQuery): Promise<AuditPage> {
    const before = query.before ?? this.#numbers.next()
    const found = await Promise.all(
      [this.#actions, this.#refusals].map((log) =>
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
    await this.#repeated[Symbol.asyncDispose]()
    await this.#actions[Symbol.asyncDispose]()
    await this.#refusals[Symbol.asyncDispose]()
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
