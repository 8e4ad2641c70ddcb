import { z } from 'zod'
import type { Log } from '../../lib/log.ts'
import type { Principal } from '../../core/principal.ts'
import {
  type HealthDeps,
  readHealth,
  summariseHealth,
  visibleProblems,
  type ReadinessDeps,
  readReadiness,
} from '../../health/health.ts'
import type { HealthProblem } from '../../core/health-problem.ts'
import type { Access } from '../../configuration/access/permission.ts'
import {
  HealthBody,
  HealthSummaryBody,
  LivenessBody,
  ReadinessBody,
} from '../../wire/health-body.ts'
import { json } from '../../http/errors.ts'
import { NOBODY } from '../../http/request-context.ts'
import { jsonAnswer } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'

export type HealthRoutesOptions = HealthDeps &
  ReadinessDeps & { readonly access: Access; readonly log: Log }

const tag = 'Service'
const route = routeWith<HealthRoutesOptions>()

/**
 * `/health…`: for probes, which have no credentials and get numbers alone. What the problems are is
 * for administrators. A probe restarts what is not live, and sends no requests to what is not ready.
 */
export const healthResource = resource({
  open: (deps: HealthRoutesOptions) => deps,
  routes: [
    route({
      method: 'GET',
      path: '/health',
      tag,
      summary: 'Health of the service, with problems for administrators',
      caller: 'anybody',
      knowsUsers: true,
      answers: {
        200: jsonAnswer(
          'It can; numbers alone without an administrator',
          z.union([HealthBody, HealthSummaryBody]),
        ),
      },
      example: {
        answer: { status: 'ok', version: '0.1.0', revisions: 3, problemCount: 0, mirror: null },
      },
      handle: (c, deps) => json(healthFor(deps, c.env.principal)),
    }),
    route({
      method: 'GET',
      path: '/health/live',
      tag,
      summary: 'Liveness probe: whether the process answers',
      caller: 'anybody',
      answers: { 200: jsonAnswer('It does', LivenessBody) },
      example: { answer: { status: 'ok' } },
      handle: () => json({ status: 'ok' } satisfies LivenessBody),
    }),
    route({
      method: 'GET',
      path: '/health/ready',
      tag,
      summary: 'Readiness probe: whether configuration and state can be read',
      caller: 'anybody',
      answers: {
        200: jsonAnswer('They can', ReadinessBody),
        503: jsonAnswer('Why not', ReadinessBody),
      },
      example: { answer: { status: 'ok', reasons: [] } },
      handle: async (_c, deps) => {
        const obstacles = await readReadiness(deps)
        // A full disk keeps nobody from reading.
        const reasons = [...obstacles.map(({ part }) => part), ...deps.diskProblems()]
        for (const { part, reason } of obstacles) {
          deps.log({ level: 'error', message: part, facts: { reason } })
        }
        const status = obstacles.length === 0 ? 'ok' : 'unavailable'
        const body = { status, reasons } satisfies ReadinessBody
        return json(body, status === 'ok' ? 200 : 503)
      },
    }),
  ],
})

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
