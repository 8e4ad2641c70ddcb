import type { Principal } from '../../core/principal.ts'
import { type Access, assertMay } from '../../configuration/access/permission.ts'
import type { Audit, AuditPage, AuditQuery } from './audit.ts'

export interface AuditDeps {
  readonly access: Access
  readonly audit: Audit
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
