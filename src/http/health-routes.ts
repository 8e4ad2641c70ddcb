import { Hono } from 'hono'
import { readHealth } from '../services/health.ts'
import type { RouteEnv } from './door.ts'
import { json } from './errors.ts'

/** `/health`: for probes, without credentials. It names problems, never what is in the configuration. */
export function healthRoutes(deps: Parameters<typeof readHealth>[0]) {
  return new Hono<RouteEnv>().get('/health', () => json(readHealth(deps)))
}
