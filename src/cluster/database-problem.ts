import { reasonOf, ServiceError } from '../core/errors.ts'
import { wasRefused } from '../state/postgres-errors.ts'

/** Describes why this server cannot use its database, as a sentence for operators. */
export function describeDatabaseError(error: unknown): string {
  const is = wasRefused(error) ? 'refuses what it is asked' : 'does not answer'
  const isStore = error instanceof ServiceError && error.code === 'unavailable'
  const reason = isStore && 'reason' in error.facts ? error.facts.reason : reasonOf(error)
  return `The database ${is}: ${reason}`
}
