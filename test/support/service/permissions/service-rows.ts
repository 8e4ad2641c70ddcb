import type { PermissionRow } from './permission-row.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** The service itself. */
export const SERVICE_ROWS: readonly PermissionRow[] = [
  { call: 'GET /health', may: 'anybody', allowed: 200 },
  { call: 'GET /log-out', may: 'anybody', allowed: 401 },
  { call: 'GET /assets/{name}', may: 'anybody', allowed: 404 },
  { call: 'GET /', may: 'user', allowed: 302 },
  { call: 'POST /colours', may: 'user', allowed: 303, headers: FORM, body: 'colours=green-red' },
  { call: 'GET /api', may: 'user', allowed: 200 },
  { call: 'GET /api/openapi.json', may: 'user', allowed: 200 },
  { call: 'GET /health/live', may: 'anybody', allowed: 200 },
  { call: 'GET /health/ready', may: 'anybody', allowed: 200 },
  { call: 'GET /metrics', may: 'user', allowed: 200 },
  { call: 'GET /api/audit', may: 'administrator', allowed: 200 },
  { call: 'GET /audit', may: 'administrator', allowed: 200 },
]
