import { describeRoutes } from '../../../../src/api/description/described-call.ts'
import type { CallerKind } from '../../../../src/api/definition/operation.ts'
import { ROUTES } from '../../../../src/api/resources.ts'
import type { Level } from '../secured-document.ts'
import { AGENTS_ROWS } from './agents-rows.ts'
import { BUILDS_ROWS } from './builds-rows.ts'
import { CONFIG_ROWS } from './config-rows.ts'
import type { PermissionRow, WrittenRow } from './permission-row.ts'
import { SERVICE_ROWS } from './service-rows.ts'

/** Which users a definition means. Calls with an agent's token look at no user. */
const LEVEL_OF: Readonly<Record<CallerKind, Level>> = {
  anybody: 'anybody',
  newAgent: 'anybody',
  agent: 'anybody',
  user: 'user',
  viewer: 'viewer',
  viewerOrAgent: 'viewer',
  operator: 'operator',
  approver: 'approver',
  groupAdministrator: 'group administrator',
  administrator: 'administrator',
}

const OPERATIONS = new Map(
  describeRoutes(ROUTES).map(({ method, path, operation }) => [`${method} ${path}`, operation]),
)

/** Every route of the service, and who may call it: what the definition of its route says. */
export const PERMISSIONS: readonly PermissionRow[] = [
  ...SERVICE_ROWS,
  ...CONFIG_ROWS,
  ...AGENTS_ROWS,
  ...BUILDS_ROWS,
].map(completed)

function completed(row: WrittenRow): PermissionRow {
  const operation = OPERATIONS.get(row.call)
  const may = row.may ?? (operation && LEVEL_OF[operation.caller])
  if (may === undefined) throw new Error(`The row does not say who may make the call ${row.call}`)
  const isUnauthorized = operation?.errors?.includes('not-authorized') === true
  return { ...row, may, ...(isUnauthorized ? { refused: 401 } : {}) }
}
