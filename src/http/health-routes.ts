import { Hono } from 'hono'
import { type HealthDeps, readHealth } from '../services/health.ts'
import { type ReadinessDeps, readReadiness } from '../services/readiness.ts'
import type { LivenessBody, ReadinessBody } from '../wire/health-body.ts'
import type { RouteEnv } from './door.ts'
import { json } from './errors.ts'

export type HealthRoutesOptions = HealthDeps & ReadinessDeps

/**
 * `/health…`: for probes, without credentials. It names problems, never what is in the
 * configuration. A probe restarts what is not live, and sends no requests to what is not ready.
 */
export function healthRoutes(deps: HealthRoutesOptions) {
  return new Hono<RouteEnv>()
    .get('/health', () => json(readHealth(deps)))
    .get('/health/live', () => json({ status: 'ok' } satisfies LivenessBody))
    .get('/health/ready', async () => {
      const reasons = await readReadiness(deps)
      const status = reasons.length === 0 ? 'ok' : 'unavailable'
      return json({ status, reasons } satisfies ReadinessBody, status === 'ok' ? 200 : 503)
    })
}
