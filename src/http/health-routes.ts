import { Hono } from 'hono'
import { type HealthDeps, readHealth } from '../services/health.ts'
import type { RouteEnv } from './door.ts'
import { json } from './errors.ts'

export type HealthRoutesOptions = HealthDeps

/** `/health`: for probes, without credentials. It names problems, never what is in the configuration. */
export function healthRoutes(deps: HealthRoutesOptions) {
  return new Hono<RouteEnv>().get('/health', () => json(readHealth(deps)))
}
