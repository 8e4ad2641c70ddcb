import { AGENTS_ROWS } from './agents-rows.ts'
import { BUILDS_ROWS } from './builds-rows.ts'
import { CONFIG_ROWS } from './config-rows.ts'
import type { PermissionRow } from './permission-row.ts'
import { SERVICE_ROWS } from './service-rows.ts'

/** Every route of the service, and who may call it. */
export const PERMISSIONS: readonly PermissionRow[] = [
  ...SERVICE_ROWS,
  ...CONFIG_ROWS,
  ...AGENTS_ROWS,
  ...BUILDS_ROWS,
]
