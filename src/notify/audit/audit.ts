import {
  type Action,
  type AuditPage,
  type AuditQuery,
  type AuditShare,
  configurationChange,
  type NewAuditEntry,
  type Repetitions,
} from '../../core/service/audit.ts'
import { describeFault } from '../../core/faults.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { AuditLog } from '../../state/audit-log.ts'
import { RepeatedActions } from './repeated-actions.ts'
import type { Principal } from '../../core/principal.ts'
import { type Access, assertMay } from '../../configuration/access/permission.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { History, RevisionEvent } from '../../history/history.ts'

export interface AuditOptions {
  readonly store: AuditLog
  /** Leaves an entry that the store did not take where it waits until {@link Audit.keep} takes it. */
  readonly leave: (entry: NewAuditEntry) => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

/** The limit of refusals of a user for one reason that are recorded singly within a minute. */
const NOTED_AT_ONCE = 10
const MAX_TARGET_LENGTH = 500

export interface AuditDeps {
  readonly access: Access
  readonly audit: Audit
}

/**
 * Records every action: user, action, address, and outcome. The entry is durable before the action
 * is answered.
 *
 * While entries cannot be written, they go to the log of the service, the first one and those of completed
 * actions wait, and the health check reports it, because the action is already done. Repeated refusals
 * become one entry.
 */
export class Audit implements AsyncDisposable {
  readonly #options: AuditOptions
  readonly #repeated: RepeatedActions
  /** The reason why the last entry was not written; null when it was. */
  #problem: string | null = null

  /** Owns the store from here on. */
  constructor(options: AuditOptions) {
    this.#options = options
    const write = (action: Action, repetitions: Repetitions) =>
      this.#append('refusals', action, repetitions)
    this.#repeated = new RepeatedActions({ ...options, write })
  }

  /**
   * Records an action; returns once the entry is durable. Never fails. Many refusals become one
   * entry: returns null for one that is only counted.
   */
  note(action: Action): Promise<void> | null {
    if (action.outcome === 'refused') return this.#repeated.note(action, NOTED_AT_ONCE)
    return this.#append('actions', action)
  }

  /** Records an action that needs no login: all repetitions within a minute become one entry. */
  noteOften(action: Action): Promise<void> | null {
    return this.#repeated.note(action, 1)
  }

  /**
   * Records an action that was done elsewhere or earlier, once. Returns false when the entry is not
   * durable.
   */
  async keep(entry: NewAuditEntry): Promise<boolean> {
    try {
      await this.#options.store.append('actions', entry, { mayBeThere: true })
      this.#problem = null
      return true
    } catch (error) {
      this.#problem = notWritten(error)
      return false
    }
  }

  /** The problem that keeps entries from being written, or null. */
  problem(): string | null {
    return this.#problem
  }

  /** Lists entries, newest first. A page may be shorter than its limit when many entries do not match. */
  read(query: AuditQuery): Promise<AuditPage> {
    return this.#options.store.read(query)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#repeated[Symbol.asyncDispose]()
    await this.#options.store[Symbol.asyncDispose]()
  }

  async #append(share: AuditShare, action: Action, repetitions: Repetitions = {}): Promise<void> {
    const target = action.target.slice(0, MAX_TARGET_LENGTH)
    await this.#write(share, { time: this.#options.clock(), ...action, target, ...repetitions })
  }

  async #write(share: AuditShare, entry: NewAuditEntry): Promise<void> {
    const { store, log } = this.#options
    try {
      await store.append(share, entry)
      this.#problem = null
    } catch (error) {
      const message = notWritten(error)
      // The problem ends when an entry is taken: the first one waits for that whatever it is, as none may follow.
      const isFirst = this.#problem === null
      this.#problem = message
      log({ level: 'error', message, facts: { entry, error } })
      const isDone = share === 'actions' && entry.outcome === 'done'
      if (isFirst || isDone) await this.#leave(entry)
    }
  }

  async #leave(entry: NewAuditEntry): Promise<void> {
    const { leave, log } = this.#options
    await leave(entry).catch((error: unknown) => {
      log({ level: 'error', message: 'An entry of the audit log is lost', facts: { entry, error } })
    })
  }
}

function notWritten(error: unknown): string {
  return `The audit log cannot be written: ${describeFault(error)}`
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

async function note(
  audit: Audit,
  { added, isRewritten, areSaves = false, facts = [] }: RevisionEvent,
): Promise<void> {
  if (areSaves) {
    // At once, so that the saves of a group share a sync here too; numbers follow the calls.
    const saves = Array.from(added, (each, n) => ({ each, facts: facts[n] }))
    await Promise.all(
      saves.map(async (save) =>
        audit.note(configurationChange(save.each, { commits: 1, facts: save.facts })),
      ),
    )
    return
  }
  const newest = added.at(-1)
  const details = { commits: added.length, isRewritten }
  if (newest) await audit.note(configurationChange(newest, details))
}
