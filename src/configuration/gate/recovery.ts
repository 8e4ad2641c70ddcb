import type { NewAuditEntry } from '../../core/service/audit.ts'
import type { HealthProblem } from '../../core/service/health-problem.ts'
import type { Clock } from '../../lib/clock.ts'

/** The time after which a recovery ends by itself, in milliseconds. */
const RECOVERY_TIMEOUT_MS = 3_600_000

/** A time that begins with the service, in which administrators pass rules. */
export class Recovery {
  readonly #clock: Clock
  readonly #since: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#since = clock()
  }

  /** Whether it has not ended yet. A clock that is put back ends it too. */
  get isActive(): boolean {
    const elapsed = this.#clock() - this.#since
    return elapsed >= 0 && elapsed < RECOVERY_TIMEOUT_MS
  }

  /** The entry of the audit log about its beginning. */
  entry(): NewAuditEntry {
    const target = `until ${this.#end()}`
    return {
      time: this.#since,
      user: '',
      action: 'begin-recovery',
      target,
      address: '',
      outcome: 'done',
    }
  }

  problems(): readonly HealthProblem[] {
    if (!this.isActive) return []
    const subject = `The service runs with --recovery: until ${this.#end()}, administrators can bypass rules`
    return [{ subject, errors: [] }]
  }

  #end(): string {
    return new Date(this.#since + RECOVERY_TIMEOUT_MS).toISOString()
  }
}
