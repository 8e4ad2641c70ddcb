import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import { listKnownUsers, type UserAdministrationDeps } from '../../identities/administer-users.ts'
import type { KnownUser } from '../../security/permission-reasons.ts'
import { entityNotFound } from '../revisions/entity-address.ts'
import {
  findNamed,
  type NumberedRevision,
  type RevisionReadingDeps,
} from '../revisions/numbered-revision.ts'
import type { PageThread } from '../work/page-thread.ts'
import type { PermissionChanges } from '../work/permissions/permissions-changes.ts'
import type { PermissionsOfPerson } from '../work/permissions/permissions-of-person.ts'
import type { PermissionsQuery } from './permissions-query.ts'
import type { PermissionsTable } from '../work/permissions/permissions-table.ts'

export interface PermissionsPageDeps extends RevisionReadingDeps, UserAdministrationDeps {
  readonly access: UserAdministrationDeps['access']
  readonly work: PageThread
}

/**
 * The permissions in a revision, or the difference to another; null for a text that is no
 * configuration.
 */
export type PermissionsPage =
  | {
      readonly kind: 'table'
      readonly revision: NumberedRevision
      readonly table: PermissionsTable | null
    }
  | {
      readonly kind: 'changes'
      readonly from: NumberedRevision
      readonly revision: NumberedRevision
      readonly changes: PermissionChanges | null
    }

/** @throws {ServiceError} `not-permitted`, `revision-not-found`, `entity-not-found`. */
export async function readPermissionsPage(
  deps: PermissionsPageDeps,
  principal: Principal,
  query: PermissionsQuery,
): Promise<PermissionsPage> {
  const revision = findNamed(deps, principal, query.revision)
  const known = { users: await listKnownUsers(deps, principal) }
  const document = await deps.history.readDocument(revision)
  if (query.from !== null) {
    const from = findNamed(deps, principal, query.from)
    const documents = [await deps.history.readDocument(from), document] as const
    const changes = await deps.work.permissionsChanges({ documents, known, query })
    return { kind: 'changes', from, revision, changes }
  }
  const table = await deps.work.permissionsTable({ document, known, query })
  if (table === 'no-group') throw entityNotFound({ kind: 'group', name: query.group ?? '' })
  return { kind: 'table', revision, table }
}

/** The present permissions of one user, with the revision that grants them. */
export interface OwnPermissions {
  readonly revision: NumberedRevision
  /** Null where the document takes too long, which keeps nobody from the rest of the user. */
  readonly permissions: PermissionsOfPerson | null
}

/** @throws {ServiceError} `not-permitted` */
export async function readPermissionsOf(
  deps: PermissionsPageDeps,
  principal: Principal,
  user: KnownUser,
): Promise<OwnPermissions> {
  const revision = findNamed(deps, principal, 'current')
  const known = { users: await listKnownUsers(deps, principal) }
  const document = await deps.history.readDocument(revision)
  const asked = { document, known, user }
  try {
    return { revision, permissions: await deps.work.permissionsOfPerson(asked) }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error
    return { revision, permissions: null }
  }
}
