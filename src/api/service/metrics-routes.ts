import { Hono } from 'hono'
import { renderMetrics } from '../../core/metric.ts'
import type { ServiceMetrics } from '../../health/service-metrics.ts'
import type { RouteEnv } from '../../http/request-context.ts'

export interface MetricsRoutesOptions {
  readonly metrics: ServiceMetrics
}

/** `/metrics`: numbers for Prometheus, to every user. They say nothing of what is configured. */
export function metricsRoutes({ metrics }: MetricsRoutesOptions) {
  return new Hono<RouteEnv>().get('/metrics', async () => {
    const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
    return new Response(renderMetrics(await metrics.read()), {
      headers: { ...headers, 'cache-control': 'no-store' },
    })
  })
}
