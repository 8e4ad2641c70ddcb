import { AuditOutcome } from '../../core/audit.ts'
import type { AuditQuery } from '../../notify/audit/audit.ts'
import { malformed, parseWholeNumber } from '../../http/parameters.ts'

const LIMIT = 100
const LARGEST_LIMIT = 1_000

/** @throws {ServiceError} `malformed-request`. */
export function parseAuditQuery(query: Readonly<Record<string, string>>): AuditQuery {
  const { before, limit, user, action, outcome, address } = query
  if (outcome && !AuditOutcome.safeParse(outcome).success) {
    throw malformed(`outcome "${outcome}" is none of done, refused, failed`, 'outcome')
  }
  const wanted = limit === undefined ? LIMIT : parseWholeNumber(limit, 'limit')
  return {
    before: before ? parseWholeNumber(before, 'before') : null,
    limit: Math.min(Math.max(wanted, 1), LARGEST_LIMIT),
    user: user || null,
    action: action || null,
    outcome: outcome || null,
    address: address || null,
  }
}
