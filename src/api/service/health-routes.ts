import { z } from 'zod'
import type { Principal } from '../../core/principal.ts'
import { readHealth, summariseHealth, visibleProblems, readReadiness } from '../../health/health.ts'
import { findDiskProblems } from '../../health/disk-room.ts'
import {
  HealthBody,
  HealthSummaryBody,
  LivenessBody,
  ReadinessBody,
} from '../../wire/health-body.ts'
import { json } from '../../http/errors.ts'
import { NOBODY } from '../../http/request-context.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { jsonAnswer, NOT_MODIFIED } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'
import { digestOf } from '../../core/digest.ts'
import { renderMetrics } from '../../core/service/metric.ts'
import { CachedResponse } from '../../http/cached-response.ts'

const route = routeWith<ApiContext>('Service')

/**
 * `/health…`: for probes, which have no credentials and get numbers alone. What the problems are is
 * for administrators. A probe restarts what is not live, and sends no requests to what is not ready.
 */
export const healthResource = resource({
  open: (context: ApiContext) => context,
  routes: [
    route({
      method: 'GET',
      path: '/health',
      summary: 'Health of the service, with problems for administrators',
      tools: [
        {
          name: 'problems',
          about: 'The health of the service, with the problems that the caller may see',
        },
      ],
      caller: 'anybody',
      knowsUsers: true,
      answers: {
        200: jsonAnswer(
          'The health; only numbers for others than administrators',
          z.union([HealthBody, HealthSummaryBody]),
        ),
      },
      example: {
        answer: { status: 'ok', version: '0.1.0', revisions: 3, problemCount: 0, mirror: null },
      },
      handle: (c, context) => json(healthFor(context, c.env.principal)),
    }),
    route({
      method: 'GET',
      path: '/health/live',
      summary: 'Liveness probe: whether the process answers',
      caller: 'anybody',
      answers: { 200: jsonAnswer('It does', LivenessBody) },
      handle: () => json({ status: 'ok' } satisfies LivenessBody),
    }),
    route({
      method: 'GET',
      path: '/health/ready',
      summary: 'Readiness probe: whether configuration and state can be read',
      caller: 'anybody',
      answers: {
        200: jsonAnswer('They can', ReadinessBody),
        503: jsonAnswer('Why not', ReadinessBody),
      },
      handle: async (_c, { health, log }) => {
        const obstacles = await readReadiness(health)
        // A full or read-only disk keeps nobody from reading.
        const reasons = [...obstacles.map(({ part }) => part), ...findDiskProblems(health.folders)]
        for (const { part, reason } of obstacles) {
          log({ level: 'error', message: part, facts: { reason } })
        }
        const status = obstacles.length === 0 ? 'ok' : 'unavailable'
        const body = { status, reasons } satisfies ReadinessBody
        return json(body, status === 'ok' ? 200 : 503)
      },
    }),
  ],
})

function healthFor(context: ApiContext, principal: Principal) {
  const { access } = context.configuration
  const health = readHealth(context.health)
  if (principal === NOBODY) return summariseHealth(health) satisfies HealthSummaryBody
  const problems = visibleProblems(access, principal, health.problems).map(
    ({ subject, errors }) => ({ subject, errors }),
  )
  const isAdministrator = access.may(principal, { action: 'administer' })
  return { ...(isAdministrator ? health : summariseHealth(health)), problems }
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** `/metrics`: numbers for Prometheus, to every user. They say nothing of what is configured. */
export const metricsResource = resource({
  open: (context: ApiContext) => context,
  routes: [
    route({
      method: 'GET',
      path: '/metrics',
      summary: 'Metrics for Prometheus',
      caller: 'user',
      answers: {
        200: { text: 'The text format', content: [{ type: 'text/plain', schema: null }] },
        304: NOT_MODIFIED,
      },
      example: {
        answer: `# HELP cairn_problems Open problems
# TYPE cairn_problems gauge
cairn_problems 0
`,
      },
      handle: async (c, { health: { metrics } }) => {
        const bytes = new TextEncoder().encode(renderMetrics(await metrics.read()))
        const options = { type: METRICS_TYPE, etag: digestOf(bytes), immutable: false }
        return new CachedResponse(bytes, options).answer(c)
      },
    }),
  ],
})
