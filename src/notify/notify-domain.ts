import type { History } from '../history/history.ts'
import type { AuditDeps } from './audit/audit.ts'
import type { RevisionWatch } from './revision-watch.ts'

/** The listeners to revisions and actions. */
export interface NotifyDomain extends AuditDeps {
  readonly history: History
  readonly watch: RevisionWatch
}
