import { AuditOutcome, type AuditQuery } from '../../core/service/audit.ts'
import { malformed, parseEndOfDay, parseWholeNumber } from '../../http/parameters.ts'

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
    since: since ? parseEndOfDay(since, 'since', 'start') : null,
    until: until ? parseEndOfDay(until, 'until', 'end') : null,
  }
}
