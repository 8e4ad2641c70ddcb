import type { Unsupported } from '../builds/configured/unsupported.ts'
import type { RequestMetrics } from '../core/service/request-metrics.ts'
import type { HealthDeps, ReadinessDeps } from './health.ts'
import type { ServiceMetrics } from './service-metrics.ts'

/** The health of the service, and its numbers. */
export interface HealthDomain extends HealthDeps, ReadinessDeps {
  readonly unsupported: Unsupported
  readonly metrics: ServiceMetrics
  readonly requests: RequestMetrics
}
