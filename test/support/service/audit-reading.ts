import type { AuditEntry, AuditPage, AuditQuery } from '../../../src/core/service/audit.ts'

/** A query that all entries match. */
export const ALL_ENTRIES: AuditQuery = {
  before: null,
  limit: 10,
  user: null,
  action: null,
  outcome: null,
  address: null,
  since: null,
  until: null,
}

interface Readable {
  read(query: AuditQuery): Promise<AuditPage>
}

/** Reads every entry that matches, page by page, newest first. */
export async function entriesOf(
  log: Readable,
  query: Partial<AuditQuery> = {},
): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  let before: number | null = null
  do {
    const page = await log.read({ ...ALL_ENTRIES, ...query, before })
    entries.push(...page.entries)
    before = page.next
  } while (before !== null)
  return entries
}
