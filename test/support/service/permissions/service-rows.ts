import type { WrittenRow } from './permission-row.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** The service itself. */
export const SERVICE_ROWS: readonly WrittenRow[] = [
  { call: 'GET /health', allowed: 200 },
  { call: 'GET /log-out', may: 'anybody', allowed: 401 },
  { call: 'GET /assets/{name}', may: 'anybody', allowed: 404 },
  { call: 'GET /', may: 'user', allowed: 302 },
  { call: 'GET /problems', may: 'user', allowed: 200 },
  { call: 'POST /colours', may: 'user', allowed: 303, headers: FORM, body: 'colours=green-red' },
  { call: 'GET /api', may: 'user', allowed: 200 },
  { call: 'GET /api/openapi.json', may: 'user', allowed: 200 },
  { call: 'GET /health/live', allowed: 200 },
  { call: 'GET /health/ready', allowed: 200 },
  { call: 'GET /metrics', allowed: 200 },
  { call: 'GET /api/audit', allowed: 200 },
  { call: 'GET /audit', may: 'administrator', allowed: 200 },
]
