import { z } from 'zod'
import type { NewAuditEntry } from '../../core/service/audit.ts'
import type { DocumentKind } from '../../core/document-kind.ts'
import { ServiceError, unavailable } from '../../core/errors.ts'
import { describeFault } from '../../core/faults.ts'
import type { HealthProblem } from '../../core/service/health-problem.ts'
import { isSameName } from '../../core/name-key.ts'
import type { Principal } from '../../core/principal.ts'
import { CommitSha, type Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import type { Log } from '../../lib/log.ts'
import { RetryLoop } from '../../lib/retry.ts'
import type { StateStore } from '../../state/state-store.ts'
import { type Access, assertMay } from '../access/permission.ts'
import { OverriddenRule, overridesIn } from './override.ts'

/** A commit that passed rules by an override. */
const OverrideRecord = z.object({
  commit: CommitSha,
  overrides: z.array(OverriddenRule).readonly(),
  /** The other administrator who has seen it; null while nobody has. */
  acknowledgedBy: z.string().nullable(),
})
type OverrideRecord = Readonly<z.infer<typeof OverrideRecord>>

/** The newest revision that was looked at for overrides. */
const OverrideCursor = z.object({ commit: CommitSha })

export const OVERRIDES: DocumentKind<OverrideRecord> = { name: 'override', schema: OverrideRecord }
export const OVERRIDE_CURSOR: DocumentKind<Readonly<z.infer<typeof OverrideCursor>>> = {
  name: 'override-cursor',
  schema: OverrideCursor,
}

export interface OverrideAlarmDeps {
  readonly history: History
  /** Shared by all servers. */
  readonly store: StateStore
  /** Records an entry once; false while it is not durable. */
  readonly keepEntry: (entry: NewAuditEntry) => Promise<boolean>
  readonly log: Log
}

export interface OverrideDeps {
  readonly access: Access
  readonly overrides: OverrideAlarm
}

const CURSOR = 'newest'
/** Revisions after which the cursor is stored, so that a save without an override writes nothing. */
const REVISIONS_PER_CURSOR = 100
const PAUSES = { fromMs: 500, toMs: 60_000 }
/** The polling interval for what other servers have stored, in milliseconds. */
const POLL_INTERVAL_MS = 2_000
const NOT_READ = 'The overrides of rules could not be read'

/**
 * Makes overrides known: an entry of the audit log for each, and a problem of the service until another
 * administrator has acknowledged it. They are found in the commits, from where the last look ended, so
 * that a crash behind a save loses none.
 */
export class OverrideAlarm implements AsyncDisposable {
  readonly #deps: OverrideAlarmDeps
  #records = new Map<CommitSha, OverrideRecord>()
  #loop: RetryLoop | null = null
  #unlisten: () => void = () => {}
  #timer: NodeJS.Timeout | null = null

  private constructor(deps: OverrideAlarmDeps) {
    this.#deps = deps
  }

  /** Loads what is stored; where other servers store too, from time to time. */
  static async open(
    deps: OverrideAlarmDeps,
    { isShared }: { readonly isShared: boolean },
  ): Promise<OverrideAlarm> {
    const alarm = new OverrideAlarm(deps)
    await alarm.#load()
    if (isShared) alarm.#timer = setInterval(() => alarm.#poll(), POLL_INTERVAL_MS).unref()
    return alarm
  }

  /** Begins to look for overrides, which one server does for all. */
  async begin(): Promise<void> {
    const { store, history } = this.#deps
    const { commit } =
      (await store.find(OVERRIDE_CURSOR, CURSOR)) ?? (await this.#keepCursor(history.current()))
    let cursor = commit
    let unstored = 0
    const loop = new RetryLoop({
      round: async () => {
        for (const revision of (await history.listNewer(cursor)) ?? [history.current()]) {
          const isFound = await this.#examine(revision)
          cursor = revision.commit
          unstored += 1
          if (!isFound && unstored < REVISIONS_PER_CURSOR) continue
          await this.#keepCursor(revision)
          unstored = 0
        }
      },
      pauses: PAUSES,
      problemOf: describeFault,
      report: (problem, error) => this.#report(problem, error),
    })
    this.#loop = loop
    this.#unlisten = history.onRevision(() => loop.wake())
  }

  /** A problem for each commit that nobody else has acknowledged, the newest first. */
  problems(): readonly HealthProblem[] {
    return this.#open().map(({ commit, number, overrides }) => {
      const passed = overrides.map(({ by, rule, inRecovery = false }) => {
        return inRecovery
          ? `${by} bypassed the rule ${rule} in a recovery`
          : `${by} overrode the rule ${rule}`
      })
      const briefly = `${passed.join(', ')} in r${number}`
      const call = `POST /api/config/revisions/${commit}/acknowledge-override`
      const subject = `${briefly}. Another administrator acknowledges it with ${call}`
      return { subject, briefly: `${briefly}.`, errors: [], revisions: [{ commit, number }] }
    })
  }

  /**
   * Ends the problem of a commit, for a user who made none of its overrides.
   *
   * @throws {ServiceError} `revision-not-found` when it has no override, `not-permitted`.
   */
  async acknowledge(commit: CommitSha, username: string): Promise<void> {
    const acknowledged = await this.#deps.store.change(async (transaction) => {
      const record = await transaction.find(OVERRIDES, commit)
      if (record === null) {
        const message = `The commit ${commit} passed no rule by an override`
        throw new ServiceError('revision-not-found', message, { commit })
      }
      if (record.overrides.some(({ by }) => isSameName(by, username))) {
        const message = `User ${username} made this override: another administrator has to acknowledge it`
        throw new ServiceError('not-permitted', message, { permission: 'administer' })
      }
      const next = { ...record, acknowledgedBy: record.acknowledgedBy ?? username }
      await transaction.put(OVERRIDES, commit, next)
      return next
    })
    this.#records.set(commit, acknowledged)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#timer) clearInterval(this.#timer)
    this.#unlisten()
    await this.#loop?.[Symbol.asyncDispose]()
  }

  /** Returns whether a revision passed rules; that is known to everybody then. */
  async #examine(revision: Revision): Promise<boolean> {
    const { history, store } = this.#deps
    const { commit, time } = revision
    const overrides = overridesIn(await history.readTrailers(revision))
    if (overrides.length === 0) return false
    for (const { by, rule } of overrides)
      await this.#keepEntry({ time, user: by, action: 'override', target: `${rule} in ${commit}` })
    const record = await store.change(async (transaction) => {
      const known = await transaction.find(OVERRIDES, commit)
      if (known !== null) return known
      const found = { commit, overrides: [...overrides], acknowledgedBy: null }
      await transaction.put(OVERRIDES, commit, found)
      return found
    })
    this.#records.set(commit, record)
    return true
  }

  async #keepEntry(fact: Pick<NewAuditEntry, 'time' | 'user' | 'action' | 'target'>) {
    const isKept = await this.#deps.keepEntry({ ...fact, address: '', outcome: 'done' })
    if (!isKept) throw unavailable('The audit log took no entry about an override')
  }

  async #keepCursor({ commit }: Pick<Revision, 'commit'>) {
    const cursor = { commit }
    await this.#deps.store.change((transaction) => transaction.put(OVERRIDE_CURSOR, CURSOR, cursor))
    return cursor
  }

  async #load(): Promise<void> {
    const stored = await this.#deps.store.list(OVERRIDES)
    this.#records = new Map(stored.map(({ value }) => [value.commit, value]))
  }

  /** While the database is away, what was read last holds. */
  #poll(): void {
    this.#load().catch(() => undefined)
  }

  #report(problem: string | null, error: unknown): void {
    if (problem !== null) this.#deps.log({ level: 'warning', message: NOT_READ, facts: { error } })
  }

  /** The commits of the history that nobody else has acknowledged, newest first. */
  #open(): readonly (OverrideRecord & { readonly number: number })[] {
    const { history } = this.#deps
    return [...this.#records.values()]
      .filter(({ acknowledgedBy }) => acknowledgedBy === null)
      .map((record) => ({ ...record, number: history.numberOf(record) ?? 0 }))
      .filter(({ number }) => number > 0)
      .toSorted((one, other) => other.number - one.number)
  }
}

/**
 * Records that another administrator has seen the overrides of a commit.
 *
 * @throws {ServiceError} `revision-not-found`, `not-permitted`.
 */
export async function acknowledgeOverride(
  { access, overrides }: OverrideDeps,
  principal: Principal,
  commit: CommitSha,
): Promise<void> {
  assertMay(access, principal, { action: 'administer' })
  await overrides.acknowledge(commit, principal.username)
}
