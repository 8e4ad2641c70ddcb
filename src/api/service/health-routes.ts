import { Hono } from 'hono'
import type { Log } from '../../lib/log.ts'
import type { Principal } from '../../core/principal.ts'
import {
  type HealthDeps,
  readHealth,
  summariseHealth,
  visibleProblems,
} from '../../health/health.ts'
import type { HealthProblem } from '../../core/health-problem.ts'
import type { Access } from '../../configuration/access/permission.ts'
import { type ReadinessDeps, readReadiness } from '../../health/readiness.ts'
import type { HealthSummaryBody, LivenessBody, ReadinessBody } from '../../wire/health-body.ts'
import { json } from '../../http/errors.ts'
import { NOBODY, type RouteEnv } from '../../http/request-context.ts'

export type HealthRoutesOptions = HealthDeps &
  ReadinessDeps & { readonly access: Access; readonly log: Log }

/**
 * `/health…`: for probes, which have no credentials and get numbers alone. What the problems are is
 * for administrators. A probe restarts what is not live, and sends no requests to what is not ready.
 */
export function healthRoutes(deps: HealthRoutesOptions) {
  return new Hono<RouteEnv>()
    .get('/health', (c) => json(healthFor(deps, c.env.principal)))
    .get('/health/live', () => json({ status: 'ok' } satisfies LivenessBody))
    .get('/health/ready', async () => {
      const obstacles = await readReadiness(deps)
      // A full disk keeps nobody from reading.
      const reasons = [...obstacles.map(({ part }) => part), ...deps.diskProblems()]
      for (const { part, reason } of obstacles) {
        deps.log({ level: 'error', message: part, facts: { reason } })
      }
      const status = obstacles.length === 0 ? 'ok' : 'unavailable'
      return json({ status, reasons } satisfies ReadinessBody, status === 'ok' ? 200 : 503)
    })
}

function healthFor(deps: HealthRoutesOptions, principal: Principal) {
  const health = readHealth(deps)
  if (principal === NOBODY) return summariseHealth(health) satisfies HealthSummaryBody
  const problems = visibleProblems(deps.access, principal, health.problems).map(renderProblem)
  const isAdministrator = deps.access.may(principal, { action: 'administer' })
  return { ...(isAdministrator ? health : summariseHealth(health)), problems }
}

function renderProblem({
  subject,
  errors,
}: HealthProblem): Pick<HealthProblem, 'subject' | 'errors'> {
  return { subject, errors }
}
