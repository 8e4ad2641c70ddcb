import type { AuditDeps } from '../notify/audit/read-audit.ts'
import type { Resource, RouteFacts } from './route.ts'
import { auditResource } from './service/audit-routes.ts'
import { type HealthRoutesOptions, healthResource } from './service/health-routes.ts'
import { type MetricsOptions, metricsResource } from './service/metrics-routes.ts'

/** What the routes of all resources need. */
export interface ApiOptions extends HealthRoutesOptions, MetricsOptions, AuditDeps {}

/** Everything that programs call. */
export const RESOURCES: readonly Resource<ApiOptions>[] = [
  healthResource,
  metricsResource,
  auditResource,
]

/** Every call of programs. Names for the audit log, public paths and the description follow from it. */
export const ROUTES: readonly RouteFacts[] = RESOURCES.flatMap(({ routes }) => routes)
