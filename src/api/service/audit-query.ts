import { AuditOutcome, type AuditQuery } from '../../core/service/audit.ts'
import { malformed, parseWholeNumber } from '../../http/parameters.ts'
import { firstMomentOf } from '../../lib/moments.ts'

const LIMIT = 100
const MAX_LIMIT = 1_000

/** @throws {ServiceError} `malformed-request`. */
export function parseAuditQuery(query: Readonly<Record<string, string>>): AuditQuery {
  const { before, limit, user, action, outcome, address, since, until } = query
  if (outcome && !AuditOutcome.safeParse(outcome).success) {
    throw malformed(`outcome "${outcome}" is none of done, refused, failed`, 'outcome')
  }
  const wanted = limit === undefined ? LIMIT : parseWholeNumber(limit, 'limit')
  return {
    before: before ? parseWholeNumber(before, 'before') : null,
    limit: Math.min(Math.max(wanted, 1), MAX_LIMIT),
    user: user || null,
    action: action || null,
    outcome: outcome || null,
    address: address || null,
    since: since ? parseTime(since, 'since', 'T00:00:00.000Z') : null,
    until: until ? parseTime(until, 'until', 'T23:59:59.999Z') : null,
  }
}

/** A day in UTC, as a whole, or a time with its zone. */
function parseTime(text: string, name: string, ofDay: string): number {
  const time = firstMomentOf(DAY.test(text) ? `${text}${ofDay}` : text)
  if (time !== null && (DAY.test(text) || ZONED.test(text))) return time
  throw malformed(
    `${name} "${text}" is not a valid day such as 2015-06-05 or time such as 2015-06-05T14:03Z`,
    name,
  )
}

const DAY = /^\d{4}-\d\d-\d\d$/
const ZONED = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/
