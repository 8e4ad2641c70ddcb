import type { Action, AuditEntry } from '../../core/audit.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { LineNumbers } from '../../storage/line-log.ts'
import { EntryLog } from './entry-log.ts'
import { RepeatedActions } from './repeated-actions.ts'
import type { Principal } from '../../core/principal.ts'
import { type Access, assertMay } from '../../configuration/access/permission.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { History, RevisionEvent } from '../../history/history.ts'

export interface AuditOptions {
  readonly folder: string
  /** How large the log may become, in bytes. */
  readonly largest: number
  readonly clock: Clock
  readonly log: Log
}

/** A filter of entries; null matches all. */
export interface AuditQuery {
  /** Only those with a smaller number; null for the newest. */
  readonly before: number | null
  readonly limit: number
  readonly user: string | null
  readonly action: string | null
  readonly outcome: string | null
  readonly address: string | null
  /** Not before this time, and not after that, in milliseconds since the UNIX epoch. */
  readonly since: number | null
  readonly until: number | null
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[]
  /** The number before which the next page begins; null when there are no more. */
  readonly next: number | null
}

/** The share of the log for refusals, and for actions without a login. */
const SHARE_OF_REFUSALS = 1 / 4
/** How many refusals of a user for one reason are recorded singly within a minute. */
const NOTED_AT_ONCE = 10

export interface AuditDeps {
  readonly access: Access
  readonly audit: Audit
}

/**
 * Records every action: who, what, from where, and the outcome. An entry is on disk before the
 * action is answered. While the file cannot be written, entries go to the log of the service, and
 * the health check reports it, because the action is already done.
 *
 * Refusals, and actions without a login, have their own files with the same numbering, so that a
 * flood of them cannot displace the actions of users. Repetitions become one entry.
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

  /** Records an action; returns once the entry is on disk. Never fails. Many refusals become one entry. */
  note(action: Action): Promise<void> {
    if (action.outcome === 'refused') return this.#repeated.note(action, NOTED_AT_ONCE)
    return this.#actions.append(action)
  }

  /** Records an action that needs no login: repetitions within a minute become one entry. */
  noteOften(action: Action): Promise<void> {
    return this.#repeated.note(action, 1)
  }

  /** The problem that keeps entries from being written, or null. */
  problem(): string | null {
    return this.#actions.problem() ?? this.#refusals.problem()
  }

  /** Lists entries, newest first. A page may be shorter than its limit when many entries do not match. */
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

function isAskedFor(
  entry: AuditEntry,
  { user, action, outcome, address, since, until }: AuditQuery,
): boolean {
  return (
    (since === null || entry.time >= since) &&
    (until === null || entry.time <= until) &&
    (user === null || entry.user === user) &&
    (action === null || entry.action === action) &&
    (outcome === null || entry.outcome === outcome) &&
    (address === null || entry.address === address)
  )
}

/** @throws {ServiceError} `not-permitted`. */
export async function readAudit(
  { access, audit }: AuditDeps,
  principal: Principal,
  query: AuditQuery,
): Promise<AuditPage> {
  assertMay(access, principal, { action: 'administer' })
  return audit.read(query)
}

/** Records every change of the configuration from any source. Returns a function that stops it. */
export function noteRevisions(history: History, audit: Audit, log: Log): () => void {
  return history.onRevision((news) =>
    inBackground(log, 'A change of the configuration could not be recorded', note(audit, news)),
  )
}

async function note(audit: Audit, { added, isRewritten }: RevisionEvent): Promise<void> {
  const newest = added.at(-1)
  if (!newest) return
  await audit.note({
    user: newest.username,
    action: isRewritten ? 'rewrite-history' : 'change-configuration',
    target: added.length > 1 ? `${added.length} commits up to ${newest.commit}` : newest.commit,
    address: '',
    outcome: 'done',
    md5: newest.digest,
  })
}
